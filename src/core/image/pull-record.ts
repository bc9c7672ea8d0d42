/**
 * What is recorded on disk about pulls, in upstream's format: that one was
 * begun (intent), and with whose credentials an image was pulled (record). Other
 * kubelets read and write the same files. No credential is in them, only
 * hashes.
 */
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { type Fields, toFields } from './field-reader.ts';
import type { CredentialOwner, PullCredential } from './registry-credential.ts';

const API_VERSION = 'kubelet.config.k8s.io/v1beta1';
const READABLE_VERSIONS: readonly unknown[] = [API_VERSION, 'kubelet.config.k8s.io/v1alpha1'];

export interface ImagePullSecret extends CredentialOwner {
  readonly credentialHash: string;
}

/** Who may use an image under one name; the lists are empty when every pod may. */
export interface ImagePullCredentials {
  readonly kubernetesSecrets?: readonly ImagePullSecret[];
  readonly kubernetesServiceAccounts?: readonly CredentialOwner[];
  readonly nodePodsAccessible?: boolean;
}

export interface PulledRecord {
  readonly lastUpdatedTime: string;
  readonly imageRef: string;
  /** By the name users wrote, without tag and digest. */
  readonly credentialMapping: Readonly<Record<string, ImagePullCredentials>>;
}

/** How a pull with this credential is recorded; an anonymous one makes the image usable by every pod. */
export function toRecordedCredentials(
  credential: PullCredential | undefined,
  hash: string,
): ImagePullCredentials {
  const source = credential?.source ?? { kind: 'node' };
  if (source.kind === 'node') return { nodePodsAccessible: true };
  const owner = { uid: source.uid, namespace: source.namespace, name: source.name };
  return source.kind === 'secret'
    ? { kubernetesSecrets: [{ ...owner, credentialHash: hash }] }
    : { kubernetesServiceAccounts: [owner] };
}

/**
 * The record after one more pull of `name`. Undefined `credentials` mean that
 * it is unknown how the image was pulled: the record then only says that we
 * pulled it. Returns `record` itself when nothing changes.
 */
export function mergeIntoRecord(
  record: PulledRecord | undefined,
  imageRef: string,
  name: string,
  credentials: ImagePullCredentials | undefined,
  nowMs: number,
): PulledRecord {
  const lastUpdatedTime = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const added = credentials === undefined || isEmpty(credentials) ? undefined : credentials;
  if (record === undefined)
    return { lastUpdatedTime, imageRef, credentialMapping: added === undefined ? {} : { [name]: added } };
  if (added === undefined) return record;
  const before = credentialsOf(record, name);
  const after = before === undefined ? added : merge(before, added);
  if (after === before) return record;
  return { lastUpdatedTime, imageRef, credentialMapping: { ...record.credentialMapping, [name]: after } };
}

/** Undefined when no access is recorded for that name. */
export function credentialsOf(record: PulledRecord, name: string): ImagePullCredentials | undefined {
  return Object.hasOwn(record.credentialMapping, name) ? record.credentialMapping[name] : undefined;
}

export function renderPullIntent(image: string): string {
  return `${JSON.stringify({ kind: 'ImagePullIntent', apiVersion: API_VERSION, image })}\n`;
}

export function renderPulledRecord(record: PulledRecord): string {
  return `${JSON.stringify({ kind: 'ImagePulledRecord', apiVersion: API_VERSION, ...record })}\n`;
}

/** The image of an intent. */
export function parsePullIntent(text: string): Outcome<string> {
  const document = parseDocument(text, 'ImagePullIntent', ['image']);
  if (!document.ok) return document;
  const { image } = document.value;
  return typeof image === 'string' && image !== '' ? accept(image) : refuse('it names no image');
}

/** Strict: a record with unknown fields is not trusted. */
export function parsePulledRecord(text: string): Outcome<PulledRecord> {
  const fields = ['lastUpdatedTime', 'imageRef', 'credentialMapping'];
  const document = parseDocument(text, 'ImagePulledRecord', fields);
  if (!document.ok) return document;
  const { lastUpdatedTime = '', imageRef, credentialMapping } = document.value;
  if (typeof imageRef !== 'string' || imageRef === '') return refuse('it names no image');
  if (lastUpdatedTime !== null && typeof lastUpdatedTime !== 'string') return refuse('its time is not text');
  const mapping: Record<string, ImagePullCredentials> = {};
  for (const [name, value] of Object.entries(toFields(credentialMapping ?? {}) ?? { '': undefined })) {
    const credentials = toCredentials(value);
    if (credentials === undefined) return refuse('its credentials are malformed');
    mapping[name] = credentials;
  }
  return accept({ lastUpdatedTime: lastUpdatedTime ?? '', imageRef, credentialMapping: mapping });
}

function merge(before: ImagePullCredentials, added: ImagePullCredentials): ImagePullCredentials {
  if (before.nodePodsAccessible === true) return before;
  if (added.nodePodsAccessible === true) return { nodePodsAccessible: true };
  const secrets = mergeOwners(before.kubernetesSecrets ?? [], added.kubernetesSecrets ?? []);
  const accounts = mergeOwners(before.kubernetesServiceAccounts ?? [], added.kubernetesServiceAccounts ?? []);
  const merged: ImagePullCredentials = {
    ...(secrets.length === 0 ? {} : { kubernetesSecrets: secrets }),
    ...(accounts.length === 0 ? {} : { kubernetesServiceAccounts: accounts }),
  };
  return JSON.stringify(merged) === JSON.stringify(before) ? before : merged;
}

/** Each owner once, the newest word about it; by namespace, name and UID. */
function mergeOwners<T extends CredentialOwner>(before: readonly T[], added: readonly T[]): readonly T[] {
  if (added.length === 0) return before;
  const byOwner = new Map([...before, ...added].map((owner) => [ownerKey(owner), owner]));
  return [...byOwner].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, owner]) => owner);
}

function ownerKey({ namespace, name, uid }: CredentialOwner): string {
  return `${namespace}\0${name}\0${uid}`;
}

function isEmpty({ nodePodsAccessible, kubernetesSecrets, kubernetesServiceAccounts }: ImagePullCredentials) {
  return (
    nodePodsAccessible !== true &&
    (kubernetesSecrets ?? []).length === 0 &&
    (kubernetesServiceAccounts ?? []).length === 0
  );
}

function parseDocument(text: string, kind: string, fields: readonly string[]): Outcome<Fields> {
  let document: Fields | undefined;
  try {
    document = toFields(JSON.parse(text));
  } catch {
    document = undefined;
  }
  if (document === undefined) return refuse('it is not a JSON object');
  const { kind: given, apiVersion, ...rest } = document;
  if (given !== kind) return refuse(`it is not of kind ${kind}`);
  if (!READABLE_VERSIONS.includes(apiVersion)) return refuse('its apiVersion is not supported');
  const unknown = Object.keys(rest).find((name) => !fields.includes(name));
  return unknown === undefined ? accept(rest) : refuse(`it has the unknown field ${JSON.stringify(unknown)}`);
}

function toCredentials(value: unknown): ImagePullCredentials | undefined {
  const fields = toFields(value);
  if (fields === undefined) return undefined;
  const { kubernetesSecrets, kubernetesServiceAccounts, nodePodsAccessible = false, ...rest } = fields;
  const secrets = toOwners<ImagePullSecret>(kubernetesSecrets, [
    'uid',
    'namespace',
    'name',
    'credentialHash',
  ]);
  const accounts = toOwners<CredentialOwner>(kubernetesServiceAccounts, ['uid', 'namespace', 'name']);
  if (secrets === undefined || accounts === undefined || Object.keys(rest).length > 0) return undefined;
  if (typeof nodePodsAccessible !== 'boolean') return undefined;
  return {
    ...(secrets.length === 0 ? {} : { kubernetesSecrets: secrets }),
    ...(accounts.length === 0 ? {} : { kubernetesServiceAccounts: accounts }),
    ...(nodePodsAccessible ? { nodePodsAccessible } : {}),
  };
}

function toOwners<T>(value: unknown, names: readonly string[]): readonly T[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const isOwner = (item: unknown): boolean => {
    const entries = Object.entries(toFields(item) ?? { '': undefined });
    return entries.every(([name, text]) => names.includes(name) && typeof text === 'string');
  };
  return value.every(isOwner)
    ? value.map((item: object) => ({ ...Object.fromEntries(names.map((name) => [name, ''])), ...item }) as T)
    : undefined;
}
