/** Who knows what a container was given beside its image and volumes: devices, processors, memory nodes. */
import type { Container, Pod } from '../../core/api/pod.ts';
import type { HardwareAssignment } from '../../core/spec/to-container-config.ts';

export interface HardwareSource {
  /** Asked before each start of the container. Rejects with AgentError when it must not start now. */
  readHardware(pod: Pod, container: Container, signal: AbortSignal): Promise<HardwareAssignment>;
}
