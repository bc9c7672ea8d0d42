import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { keepProcessCgroups } from './keep-process-cgroups.ts';

async function watch(settings: { kubeletCgroups?: string; systemCgroups?: string }, minutes: number) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const calls: string[] = [];
  const stop = new AbortController();
  const running = keepProcessCgroups(
    {
      config: { kubeletCgroups: '', systemCgroups: '', oomScoreAdj: -999, ...settings },
      machine: { cgroup: { version: 2, root: '/none' } },
      clock,
      logger,
      cgroups: {
        move: async (pid, path) => void calls.push(`move ${pid === process.pid ? 'own' : pid} ${path}`),
        moveFromRoot: async (path) => {
          calls.push(`all ${path}`);
          throw new Error('refused');
        },
      },
      setScore: async (score) => void calls.push(`score ${score}`),
    },
    stop.signal,
  );
  await clock.advance(minutes * 60_000);
  stop.abort();
  await running;
  assert.equal(clock.pendingTimers, 0);
  return { calls, warnings: logger.lines.length };
}

describe('keepProcessCgroups', () => {
  it('sets the OOM score at the start and again every five minutes', async () => {
    assert.deepEqual((await watch({}, 9)).calls, ['score -999', 'score -999']);
    assert.deepEqual((await watch({ systemCgroups: '/' }, 1)).calls, ['score -999']);
  });

  it('moves everything every minute where that is wanted, and logs a refusal once', async () => {
    const { calls, warnings } = await watch({ kubeletCgroups: '/kubelet', systemCgroups: '/system' }, 1.5);
    const round = ['all /system', 'move own /kubelet', 'score -999'];
    assert.deepEqual(calls, [...round, ...round]);
    assert.equal(warnings, 1);
  });
});
