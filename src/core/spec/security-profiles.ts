/**
 * Which seccomp and AppArmor profile a container runs under. The container's
 * own choice comes before the pod's.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Container, Pod, SecurityProfileRef } from '../api/pod.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { SecurityProfile } from '../model/sandbox-config.ts';

const APPARMOR_ANNOTATION_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';

/** Always a profile; a local one is named by its absolute path on the node. */
export function toSeccompProfile(
  pod: Pod,
  container: Container,
  facts: Pick<NodeProfile, 'seccompDefault' | 'rootDir'>,
): Outcome<SecurityProfile> {
  const chosen = container.securityContext?.seccompProfile ?? pod.spec.securityContext?.seccompProfile;
  if (chosen === undefined) return accept({ type: facts.seccompDefault ? 'RuntimeDefault' : 'Unconfined' });
  if (chosen.type !== 'Localhost') return accept({ type: chosen.type });
  if (!chosen.localhostProfile) {
    return refuse('localhostProfile must be set if seccompProfile type is Localhost.');
  }
  if (chosen.localhostProfile.startsWith('/')) return refuse('localhostProfile must be a relative path');
  if (chosen.localhostProfile.split('/').includes('..'))
    return refuse("localhostProfile must not contain '..'");
  return accept({ type: 'Localhost', ref: `${facts.rootDir}/seccomp/${chosen.localhostProfile}` });
}

/** Undefined when neither chose one; then the runtime decides. */
export function toAppArmorProfile(pod: Pod, container: Container): Outcome<SecurityProfile | undefined> {
  const annotation = pod.metadata.annotations?.[`${APPARMOR_ANNOTATION_PREFIX}${container.name}`];
  const chosen =
    container.securityContext?.appArmorProfile ??
    parseAppArmorAnnotation(annotation) ??
    pod.spec.securityContext?.appArmorProfile;
  if (chosen === undefined) return accept(undefined);
  if (chosen.type !== 'Localhost') return accept({ type: chosen.type });
  if (!chosen.localhostProfile) return refuse('missing localhost apparmor profile name');
  return accept({ type: 'Localhost', ref: chosen.localhostProfile });
}

function parseAppArmorAnnotation(text: string | undefined): SecurityProfileRef | undefined {
  if (text === 'runtime/default') return { type: 'RuntimeDefault' };
  if (text === 'unconfined') return { type: 'Unconfined' };
  if (text?.startsWith('localhost/') !== true) return undefined;
  return { type: 'Localhost', localhostProfile: text.slice('localhost/'.length) };
}
