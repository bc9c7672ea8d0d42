/** What the kubelet says of itself while it is cut off: fit to live, but not well. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiServerOutage } from './api-server-outage.ts';
import { NEEDS_CLUSTER, requireVariable, waitFor, withCluster } from './cluster.ts';

async function ask(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const port = requireVariable('KUBELET_HEALTHZ_PORT');
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
}

const isWell = async (): Promise<boolean> => (await ask('/healthz?verbose')).status === 200;

describe('the health of a kubelet that is cut off', NEEDS_CLUSTER, () => {
  it('is not well on the detailed check once its lease has run out, and well again afterwards', () =>
    withCluster(async (cluster) => {
      await waitFor('a kubelet that is well', isWell);
      await using outage = await ApiServerOutage.begin(cluster);
      // The lease lasts 40 s.
      const { text } = await waitFor(
        'the kubelet to say that it is cut off',
        async () => {
          const answer = await ask('/healthz?verbose');
          return answer.status === 500 && answer;
        },
        90_000,
      );
      assert.match(text, /^\[\+\]ping ok$/m);
      assert.match(text, /^\[-\]lease failed: reason withheld$/m);
      assert.match((await ask('/healthz/lease')).text, /the node lease was not renewed .*\d+s; it lasts 40s/);
      // A supervisor that restarts an unhealthy kubelet must not do so now: it would not help.
      assert.deepEqual(await ask('/healthz'), { status: 200, text: 'ok' });
      await outage.end();
      await waitFor('a kubelet that is well again', isWell, 90_000);
    }));
});
