import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { AgentError } from '../../base/errors.ts';
import type { KernelMessages } from '../../ports/host/kernel-messages.ts';
import { OomWatcher } from './oom-watcher.ts';

const events = (): RecordingEvents => new RecordingEvents();

function watch(followKills: KernelMessages['followKills'], inUserNamespace = false) {
  const kit = { events: events(), logger: new RecordingLogger() };
  const watcher = new OomWatcher({ kit, kernelMessages: { followKills }, inUserNamespace });
  return { ...kit, watcher, ended: watcher.run(new AbortController().signal) };
}

describe('OomWatcher', () => {
  it('records an event when the machine is out of memory, and counts when a cgroup is', async () => {
    const {
      events: recorded,
      watcher,
      ended,
    } = watch(async (onMessage, onLost) => {
      onMessage('a invoked oom-killer: gfp_mask=0');
      onLost();
      onMessage('Out of memory: Killed process 5 (a) total-vm:1kB');
      for (const pid of [6, 7]) {
        onMessage('b invoked oom-killer: gfp_mask=0');
        onMessage(
          `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=/p,task_memcg=/p/c,task=b,pid=${pid},uid=0`,
        );
      }
    });
    await ended;
    const message = 'System OOM encountered, victim process: a, pid: 5';
    assert.deepEqual(recorded.nodeEvents, [{ type: 'Warning', reason: 'SystemOOM', message }]);
    assert.deepEqual([...watcher.killsByCgroup], [['/p', 2]]);
  });

  for (const inUserNamespace of [false, true])
    it(`goes without a log that cannot be read, ${inUserNamespace ? 'as expected' : 'with an error'}`, async () => {
      const refused = async (): Promise<void> => {
        throw new AgentError('permission-denied', 'cannot open "/dev/kmsg": operation not permitted');
      };
      const { logger, ended } = watch(refused, inUserNamespace);
      await ended;
      assert.equal(logger.messages(inUserNamespace ? 'warning' : 'error').length, 1);
      assert.equal(logger.lines.length, 1);
    });
});
