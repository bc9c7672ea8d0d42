/**
 * The registry credentials a pod names in its imagePullSecrets, in their
 * order. A secret that cannot be read is skipped and reported; one that cannot
 * be parsed fails the look-up, because its meaning is unknown.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Pod } from '../../core/api/pod.ts';
import { parseDockerCfg, parseDockerConfigJson } from '../../core/image/docker-config.ts';
import type { KeyringPart } from '../../core/image/keyring.ts';
import type { ObjectReader } from '../../ports/cluster/object-reader.ts';

/** By type of the secret: its key, and how that is read. */
const FORMS = {
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson', parseDockerConfigJson],
  'kubernetes.io/dockercfg': ['.dockercfg', parseDockerCfg],
} as const;

export interface PullSecrets {
  readonly parts: readonly KeyringPart[];
  /** Names of secrets that could not be read. */
  readonly missing: readonly string[];
}

/** Rejects only when `signal` aborted. */
export async function readPullSecrets(
  objects: Pick<ObjectReader, 'secret'>,
  { metadata: { namespace }, spec }: Pod,
  signal: AbortSignal,
): Promise<Outcome<PullSecrets>> {
  const parts: KeyringPart[] = [];
  const missing: string[] = [];
  for (const { name = '' } of spec.imagePullSecrets ?? []) {
    if (name === '') continue;
    const lookup = await objects.secret(namespace, name, signal);
    signal.throwIfAborted();
    if (lookup.kind === 'no-api') continue;
    if (lookup.kind !== 'found') {
      missing.push(name);
      continue;
    }
    const { uid = '', type = '' } = lookup.secret ?? {};
    if (!Object.hasOwn(FORMS, type)) continue;
    const [key, parse] = FORMS[type as keyof typeof FORMS];
    const text = lookup.data[key] ?? '';
    if (text === '') continue;
    const config = parse(text);
    if (!config.ok) return refuse(`cannot read pull secret "${namespace}/${name}": ${config.message}`);
    parts.push({ source: { kind: 'secret', uid, namespace, name }, config: config.value });
  }
  return accept({ parts, missing });
}
