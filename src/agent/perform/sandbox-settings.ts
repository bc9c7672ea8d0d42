/**
 * The configuration of a pod's sandbox, built the same way for making the
 * sandbox, for its containers and for image pulls.
 */
import type { Pod } from '../../core/api/pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { type SandboxConfigResult, toSandboxConfig } from '../../core/spec/to-sandbox-config.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { ContainerHardware } from '../assign/container-hardware.ts';
import type { UserNamespaces } from '../resources/user-namespaces.ts';
import type { VolumeReconciler } from '../volume/volume-reconciler.ts';
import type { ResolverFile } from './resolver-file.ts';

export interface SandboxSettingsParts {
  readonly files: HostFiles;
  readonly resolver: Pick<ResolverFile, 'read'>;
  readonly node: NodeProfile;
  readonly volumes: Pick<VolumeReconciler, 'groups'>;
  /** Undefined where pods cannot have users of their own. */
  readonly users: Pick<UserNamespaces, 'mappingOf'> | undefined;
  readonly hardware: ContainerHardware;
}

export async function readSandboxSettings(
  { resolver, node, volumes, users, hardware }: SandboxSettingsParts,
  pod: Pod,
  attempt: number,
  runtimeHandler: string,
): Promise<SandboxConfigResult> {
  const resolvConf = await resolver.read();
  const uid = toPodUid(pod.metadata.uid);
  const volumeGroups = volumes.groups(uid);
  const exclusiveCpus = hardware.pins.hasExclusiveCpus(uid);
  const mapping = await users?.mappingOf(pod, runtimeHandler);
  if (mapping?.ok === false) return mapping;
  const userMapping = mapping?.value === undefined ? {} : { userMapping: mapping.value };
  const facts = { attempt, node, resolvConf, volumeGroups, runtimeHandler, exclusiveCpus };
  return toSandboxConfig(pod, { ...facts, ...userMapping });
}
