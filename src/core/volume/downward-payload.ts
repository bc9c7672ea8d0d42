/**
 * Files made of the pod itself: its metadata and what its containers may use.
 * Only what can change or is the pod's own is offered; addresses are not.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../api/pod.ts';
import type { DownwardApiFile } from '../api/volume.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { toFieldValue } from '../spec/field-reference.ts';
import { toResourceValue } from '../spec/resource-reference.ts';
import { cleanPath, joinRefusals, NO_DEFAULT_MODE, type Payload, type PayloadFile } from './payload.ts';

const OFFERED = /^metadata\.(name|namespace|uid|labels|annotations|labels\['.*'\]|annotations\['.*'\])$/s;
const NO_ADDRESSES = { podIps: [], nodeIps: [] };

export function toDownwardPayload(
  pod: Pod,
  items: readonly DownwardApiFile[],
  defaultMode: number | undefined,
  node: Pick<NodeProfile, 'allocatable' | 'features'>,
): Outcome<Payload> {
  if (defaultMode === undefined) return refuse(NO_DEFAULT_MODE);
  const files = new Map<string, PayloadFile>();
  const problems: string[] = [];
  for (const item of items) {
    const text = toText(pod, item, node);
    if (text.ok) {
      const content = new TextEncoder().encode(text.value);
      files.set(cleanPath(item.path), { content, mode: item.mode ?? defaultMode });
    } else problems.push(text.message);
  }
  return problems.length > 0 ? joinRefusals(problems) : accept(files);
}

function toText(
  pod: Pod,
  { fieldRef, resourceFieldRef }: DownwardApiFile,
  node: Pick<NodeProfile, 'allocatable' | 'features'>,
): Outcome<string> {
  if (fieldRef !== undefined) {
    if (!OFFERED.test(fieldRef.fieldPath)) return refuse(`unsupported fieldPath: ${fieldRef.fieldPath}`);
    return toFieldValue(pod, fieldRef, NO_ADDRESSES);
  }
  const first = pod.spec.containers[0];
  if (resourceFieldRef === undefined || first === undefined) return accept('');
  return toResourceValue(pod, first, resourceFieldRef, node);
}
