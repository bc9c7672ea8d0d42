import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { type EndedPodContainersParts, removeEndedPodContainers } from './ended-pod-containers.ts';

it('removeEndedPodContainers removes what pods that have ended left, and goes on after a failure', async () => {
  const events = new RecordingEvents();
  const removed: string[] = [];
  const containers = [
    { id: 'stuck', podUid: 'over', state: 'exited' },
    { id: 'dead', podUid: 'over', state: 'exited' },
    { id: 'alive', podUid: 'over', state: 'running' },
    { id: 'kept', podUid: 'restarting', state: 'exited' },
  ];
  const parts = {
    kit: { events, logger: new RecordingLogger() },
    reader: { listContainers: async () => containers },
    runtime: {
      removeContainer: async (id: string) => {
        if (id === 'stuck') throw new Error('busy');
        removed.push(id);
      },
    },
    hasEnded: (uid: string) => uid === 'over',
  } as unknown as EndedPodContainersParts;
  await removeEndedPodContainers(parts, new AbortController().signal);
  assert.deepEqual(removed, ['dead']);
  assert.deepEqual(
    events.nodeEvents.map(({ reason, message }) => [reason, message]),
    [['ContainerGCFailed', 'busy']],
  );
});
