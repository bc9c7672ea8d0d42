/** A pod that relies on AppArmor must not run where there is none. A pod that already runs is not checked again. */
import type { Pod } from '../api/pod.ts';
import { allContainersOf } from '../model/pod-containers.ts';
import { toAppArmorProfile } from '../spec/security-profiles.ts';
import type { AdmissionFacts, AdmissionRefusal } from './admission-facts.ts';

export function checkAppArmor(pod: Pod, { appArmorEnabled }: AdmissionFacts): AdmissionRefusal | undefined {
  if ((pod.status?.phase ?? 'Pending') !== 'Pending') return undefined;
  const profiles = allContainersOf(pod).map((container) => toAppArmorProfile(pod, container));
  const isRequired = profiles.some(
    (profile) => !profile.ok || (profile.value !== undefined && profile.value.type !== 'Unconfined'),
  );
  if (!isRequired) return undefined;
  if (!appArmorEnabled) return toRefusal('AppArmor is not enabled on the host');
  return profiles.every(({ ok }) => ok) ? undefined : toRefusal('invalid empty AppArmor profile name');
}

function toRefusal(why: string): AdmissionRefusal {
  return { reason: 'AppArmor', message: `Cannot enforce AppArmor: ${why}` };
}
