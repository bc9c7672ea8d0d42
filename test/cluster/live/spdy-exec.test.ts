/**
 * What the kubelet itself delivers over SPDY. No input is on its way while a command ends: containerd closes with such
 * bytes unread, the kernel answers with a reset, and what containerd sent last may be lost before any kubelet sees it
 * (19 of 1,200 sessions with containerd 2.1 and no kubelet between, when each sent pings as its command ended).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NEEDS_CLUSTER, waitForReadyPods, withCluster } from './cluster.ts';
import { sleeper } from './sample-objects.ts';
import { findKubelet, type KubeletTarget, SpdyExec } from './spdy-exec.ts';

const SESSIONS = 50;
const ROUNDS = 6;
const SCRIPT = 'read word; echo first $word; read word; echo second $word; exit $1';

/** So many sessions at once, whose commands all end at about the same time. */
async function runRound(kubelet: KubeletTarget, path: string): Promise<void> {
  using stack = new DisposableStack();
  const sessions = Array.from({ length: SESSIONS }, (_, n) =>
    stack.use(new SpdyExec(kubelet, path, ['sh', '-c', SCRIPT, 'sh', String(n)])),
  );
  await Promise.all(
    sessions.map(async (session, n) => {
      await session.open();
      session.write(`word${n}\n`);
      await session.waitForOutput(`first word${n}\n`);
    }),
  );
  for (const [n, session] of sessions.entries()) session.write(`more${n}\n`);
  // The runtime is gone, and the kubelet must not be: a reset would cost a proxy on the way what it holds.
  await Promise.all(sessions.map((session) => session.waitForGoAway().then(() => session.keepSending())));
  const ends = await Promise.all(sessions.map((session) => session.ended()));
  const expected = sessions.map((_, n) => ({ out: `first word${n}\nsecond more${n}\n`, code: n }));
  assert.deepEqual(ends, expected);
}

describe('exec over SPDY, asked of the kubelet itself', NEEDS_CLUSTER, () => {
  it(`delivers the last output and the exit code in all of ${ROUNDS * SESSIONS} sessions`, () =>
    withCluster(async (cluster, namespace) => {
      await cluster.apply(namespace, sleeper('web'));
      await waitForReadyPods(cluster, namespace, 1);
      const kubelet = await findKubelet(cluster);
      for (let round = 0; round < ROUNDS; round++) await runRound(kubelet, `${namespace}/web/main`);
    }));
});
