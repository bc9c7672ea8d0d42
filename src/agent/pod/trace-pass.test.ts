import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { traceActions, tracePass } from './trace-pass.ts';

const uid = toPodUid('u1');
const pod = samplePod({}, { name: 'web', uid: 'u1' });

function setUp() {
  const seen: string[] = [];
  const tracer: Tracer = {
    span: async (start, work) => {
      let name = start.name;
      const result = await work({
        rename: (other) => {
          name = other;
        },
        set: () => {},
        fail: (message) => void seen.push(`failed: ${message}`),
        headers: {},
      });
      seen.push(`${name} ${start.attributes?.['k8s.pod'] ?? start.attributes?.['k8s.pod.action']}`);
      return result;
    },
  };
  return { seen, tracer };
}

const record = (termination?: object) => ({ uid, pod, termination }) as unknown as DesiredPod;
const worker = (gone: boolean) => ({ uid, setback: undefined, last: { plan: { gone } } });

describe('tracePass', () => {
  const cases: readonly (readonly [object | undefined, boolean, string])[] = [
    [undefined, false, 'syncPod market/web'],
    [{}, false, 'syncTerminatingPod market/web'],
    [{}, true, 'syncTerminatedPod market/web'],
  ];
  for (const [termination, gone, expected] of cases)
    it(`names the pass ${expected}`, async () => {
      const { seen, tracer } = setUp();
      const parts = { kit: { tracer }, readDesired: () => record(termination) };
      assert.equal(await tracePass(parts, worker(gone), async () => 7), 7);
      assert.deepEqual(seen, [expected]);
    });

  it('is failed by a setback of the pass', async () => {
    const { seen, tracer } = setUp();
    const setback = { message: 'no runtime', atMs: 0, retryAtMs: 0 };
    const parts = { kit: { tracer }, readDesired: () => undefined };
    await tracePass(parts, { ...worker(false), setback }, async () => {});
    assert.equal(seen[0], 'failed: no runtime');
  });
});

describe('traceActions', () => {
  it('has a span for each action, failed as the action did', async () => {
    const { seen, tracer } = setUp();
    const perform = traceActions(tracer, async () => ({
      kind: 'failed',
      reason: 'NoSpace',
      message: 'full',
      retryAtMs: 0,
      endsPass: true,
    }));
    await perform({ kind: 'release-pod' }, {} as never);
    assert.equal(seen[0], 'failed: NoSpace: full');
    assert.match(seen[1] ?? '', /^release-pod /);
  });
});
