/**
 * Files of a projected volume: its sources in order, a later one winning over
 * an earlier one of the same path. What the sources need from outside was
 * gathered before, one answer per source.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../api/pod.ts';
import type { ProjectedSource } from '../api/volume.ts';
import type { ObjectLookup } from '../model/environment-objects.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { toDownwardPayload } from './downward-payload.ts';
import { computeFsUser } from './fs-user.ts';
import { toObjectPayload } from './object-payload.ts';
import { cleanPath, joinRefusals, NO_DEFAULT_MODE, type Payload, type PayloadFile } from './payload.ts';

/** What was gathered for a source; undefined for one that needs nothing. */
export type GatheredSource =
  | { readonly kind: 'object'; readonly lookup: ObjectLookup }
  | { readonly kind: 'token'; readonly token: Outcome<string> }
  | { readonly kind: 'anchors'; readonly pem: Outcome<string> }
  | { readonly kind: 'certificate'; readonly pair: Outcome<{ readonly key: string; readonly chain: string }> }
  | undefined;

export interface ProjectedInput {
  readonly pod: Pod;
  readonly sources: readonly ProjectedSource[];
  readonly gathered: readonly GatheredSource[];
  readonly defaultMode: number | undefined;
  readonly node: Pick<NodeProfile, 'allocatable' | 'features'>;
}

export function toProjectedPayload(input: ProjectedInput): Outcome<Payload> {
  const { sources, gathered, defaultMode } = input;
  if (defaultMode === undefined) return refuse(NO_DEFAULT_MODE);
  const files = new Map<string, PayloadFile>();
  const problems: string[] = [];
  for (const [index, source] of sources.entries()) {
    const part = toPart(input, source, gathered[index], defaultMode);
    if (part.ok) for (const [path, file] of part.value) files.set(path, file);
    else problems.push(part.message);
  }
  return problems.length > 0 ? joinRefusals(problems) : accept(files);
}

function toPart(
  { pod, node }: ProjectedInput,
  source: ProjectedSource,
  gathered: GatheredSource,
  defaultMode: number,
): Outcome<Payload> {
  const lookup: ObjectLookup = gathered?.kind === 'object' ? gathered.lookup : { kind: 'no-api' };
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap !== undefined)
    return toObjectPayload('configmap', { ...configMap, name: configMap.name ?? '', defaultMode }, lookup);
  if (secret !== undefined)
    return toObjectPayload('secret', { ...secret, name: secret.name ?? '', defaultMode }, lookup);
  if (downwardAPI !== undefined) return toDownwardPayload(pod, downwardAPI.items ?? [], defaultMode, node);
  if (serviceAccountToken !== undefined) {
    const token = gathered?.kind === 'token' ? gathered.token : refuse('no token was asked for');
    if (!token.ok) return token;
    const content = new TextEncoder().encode(token.value);
    return accept(new Map([[cleanPath(serviceAccountToken.path), toPrivateFile(pod, content, defaultMode)]]));
  }
  if (gathered?.kind === 'anchors' && source.clusterTrustBundle !== undefined)
    return toFiles(pod, defaultMode, gathered.pem, (pem) => [[source.clusterTrustBundle?.path, pem]]);
  if (gathered?.kind === 'certificate' && source.podCertificate !== undefined) {
    const { credentialBundlePath, keyPath, certificateChainPath } = source.podCertificate;
    return toFiles(pod, defaultMode, gathered.pair, ({ key, chain }) => [
      [credentialBundlePath, key + chain],
      [keyPath, key],
      [certificateChainPath, chain],
    ]);
  }
  return refuse(`cannot project ${Object.keys(source)[0] ?? 'nothing'}: nothing was gathered for it`);
}

/** The issued credentials, at the requested paths. */
function toFiles<T>(
  pod: Pod,
  defaultMode: number,
  had: Outcome<T>,
  render: (value: T) => readonly (readonly [path: string | undefined, text: string])[],
): Outcome<Payload> {
  if (!had.ok) return had;
  const files = new Map<string, PayloadFile>();
  for (const [path, text] of render(had.value))
    if (path) files.set(cleanPath(path), toPrivateFile(pod, new TextEncoder().encode(text), defaultMode));
  return accept(files);
}

/** Credentials are for the pod's own user only, where that is known. */
function toPrivateFile(pod: Pod, content: Uint8Array, defaultMode: number): PayloadFile {
  const uid = computeFsUser(pod);
  const isBound = uid !== undefined || pod.spec.securityContext?.fsGroup !== undefined;
  return { content, mode: isBound ? 0o600 : defaultMode, ...(uid === undefined ? {} : { uid }) };
}
