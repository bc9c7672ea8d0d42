/**
 * What a volume needs from the API at the moment it is set up: the secrets it
 * names, tokens of the pod's account, and whether it is attached. Refusals
 * are in upstream's words.
 */
import { errorText } from '../../base/errors.ts';
import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { StringMap } from '../../core/api/meta.ts';
import type { SecretReference } from '../../core/api/persistent-volume.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { CsiDriverSpec, VolumeAttachment } from '../../core/api/storage.ts';
import { toApiTime } from '../../core/status/api-time.ts';
import { type AudienceToken, renderTokens } from '../../core/volume/csi/csi-context.ts';
import { SECRETS, VOLUME_ATTACHMENTS } from '../../ports/cluster/api-resource.ts';
import { type ApiServer, apiStatusOf } from '../../ports/cluster/api-server.ts';
import type { TokenSource } from '../../ports/cluster/token-source.ts';

export interface CsiReadParts {
  readonly api: Pick<ApiServer, 'get'>;
  readonly tokens: TokenSource;
}

/** Values as text; empty without a reference. `field` is what the volume calls it, such as `NodeStageSecretRef`. */
export async function readSecret(
  { api }: Pick<CsiReadParts, 'api'>,
  field: string,
  reference: SecretReference | undefined,
  signal: AbortSignal,
): Promise<Outcome<StringMap>> {
  const { name = '', namespace = '' } = reference ?? {};
  if (name === '') return accept({});
  const failed = `fetching ${field} ${namespace}/${name} failed: kubernetes.io/csi: failed to find the secret ${name} in the namespace ${namespace} with error:`;
  try {
    const ref = { resource: SECRETS, namespace, name };
    const secret = await api.get<{ readonly data?: StringMap }>(ref, { signal });
    if (secret === undefined) return refuse(`${failed} secrets "${name}" not found`);
    const values = Object.entries(secret.data ?? {});
    return accept(Object.fromEntries(values.map(([key, value]) => [key, decode(value)])));
  } catch (error) {
    return refuse(`${failed} ${describe(error)}`);
  }
}

export interface PodTokens {
  /** Under the key that drivers look for; empty when the driver wants none. */
  readonly entry: StringMap;
  /** When they have to be replaced. */
  readonly refreshAtMs?: number;
}

/** One token for each audience that the driver asks for. */
export async function readTokens(
  { tokens }: CsiReadParts,
  driver: CsiDriverSpec | undefined,
  pod: Pod,
  signal: AbortSignal,
): Promise<Outcome<PodTokens>> {
  const found: AudienceToken[] = [];
  let refreshAtMs = Number.POSITIVE_INFINITY;
  for (const { audience, expirationSeconds } of driver?.tokenRequests ?? []) {
    const answer = await tokens.token({ pod, audience, expirationSeconds }, signal);
    if (!answer.ok)
      return refuse(
        `kubernetes.io/csi: mounter.SetUpAt failed to get service accoount token attributes: ${answer.message}`,
      );
    const { token, expiresAtMs, refreshAtMs: dueMs = Number.POSITIVE_INFINITY } = answer.value;
    found.push({ audience, token, expirationTimestamp: toApiTime(expiresAtMs ?? 0) });
    refreshAtMs = Math.min(refreshAtMs, dueMs);
  }
  const entry = renderTokens(found);
  return accept(Number.isFinite(refreshAtMs) ? { entry, refreshAtMs } : { entry });
}

/** The attachment metadata; refused while the volume is not attached. */
export async function readAttachment(
  { api }: Pick<CsiReadParts, 'api'>,
  handle: string,
  attachmentName: string,
  signal: AbortSignal,
): Promise<Outcome<StringMap>> {
  const failed = `volume ${handle} has GET error for volume attachment ${attachmentName}:`;
  try {
    const ref = { resource: VOLUME_ATTACHMENTS, name: attachmentName };
    const found = await api.get<VolumeAttachment>(ref, { signal });
    if (found === undefined)
      return refuse(`${failed} volumeattachments.storage.k8s.io "${attachmentName}" not found`);
    const { metadata, status } = found;
    if (metadata.deletionTimestamp !== undefined) return refuse('volume attachment is being deleted');
    if (status?.attachError !== undefined) return refuse(status.attachError.message ?? '');
    if (status?.attached !== true)
      return refuse(`volume ${handle} is not attached for volume attachment ${attachmentName}`);
    return accept(status.attachmentMetadata ?? {});
  } catch (error) {
    return refuse(`${failed} ${describe(error)}`);
  }
}

/** Undefined when there is none, or it cannot be read now. */
export async function peekAttachment(
  { api }: Pick<CsiReadParts, 'api'>,
  name: string,
  signal: AbortSignal,
): Promise<VolumeAttachment | undefined> {
  try {
    return await api.get<VolumeAttachment>({ resource: VOLUME_ATTACHMENTS, name }, { signal });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function describe(error: unknown): string {
  return apiStatusOf(error)?.message ?? errorText(error);
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString('utf8');
}
