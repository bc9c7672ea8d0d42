/** Moves running containers to other CPUs. One that cannot be moved stays where it is until the next try. */
import { AgentError, causeText } from '../../base/errors.ts';
import { podRef } from '../../core/api/pod-identity.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { ContainerPins } from '../assign/container-pins.ts';
import { done, type Performer } from '../pod/perform-action.ts';

export interface PinContainersParts {
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly runtime: Pick<ContainerRuntime, 'updateContainer'>;
  readonly pins: Pick<ContainerPins, 'applied' | 'failed'>;
}

export function pinContainersPerformer({
  kit,
  runtime,
  pins,
}: PinContainersParts): Performer<'pin-containers'> {
  return async (action, { record, signal, callSignal, label }) => {
    const { uid, pod } = record;
    for (const { id, name, cpus } of action.pins) {
      signal.throwIfAborted();
      try {
        await runtime.updateContainer(id, { cpusetCpus: cpus }, { signal: callSignal, label });
        pins.applied(uid, id, cpus);
      } catch (error) {
        if (!(error instanceof AgentError) || signal.aborted) throw error;
        const fields = { pod: podRef(pod), podUid: uid, container: name, cpus, err: causeText(error) };
        kit.logger.warn('cannot move a container to other CPUs, trying again later', fields);
        pins.failed(uid, kit.clock.now());
      }
    }
    return done;
  };
}
