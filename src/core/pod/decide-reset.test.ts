import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inShort, podFacts } from '../../../test/samples/sample-facts.ts';
import { exited, instance, observe, samplePod, sandbox, sidecar } from '../../../test/samples/sample-pods.ts';
import type { Container } from '../api/pod.ts';
import { decidePod } from './decide-pod.ts';
import { decideReset } from './decide-reset.ts';

const source = (name: string): Container => ({
  name,
  restartPolicy: 'Never',
  restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
});
const pod = samplePod({
  initContainers: [{ name: 'init' }, sidecar('side')],
  containers: [source('main'), { name: 'helper' }],
  ephemeralContainers: [{ name: 'debug' }],
});
const observed = observe([
  exited('main', 42, { id: 'main-2' }),
  instance('helper', 'running'),
  instance('debug', 'running'),
  instance('side', 'running'),
  exited('init', 0),
  exited('main', 1),
]);

describe('decideReset', () => {
  it('stops what runs without grace, then removes every instance, the triggering ones and the newest of each last', () => {
    const actions = decideReset(pod, observed);
    assert.deepEqual(inShort(actions), [
      'stop helper+side',
      'remove helper-1',
      'remove init-1',
      'remove side-1',
      'remove main-1',
      'remove main-2',
    ]);
    assert.ok(actions[0]?.kind === 'stop-containers');
    assert.ok(actions[0].stops.every(({ graceSeconds }) => graceSeconds === 0));
    assert.ok(actions.every((action) => action.kind !== 'remove-container' || action.keepLogs));
  });

  it('removes an init container that triggered the restart after everything else', () => {
    const asking = samplePod({ initContainers: [source('init')], containers: [source('main')] });
    const both = observe([exited('main', 42), exited('init', 42)]);
    assert.deepEqual(inShort(decideReset(asking, both)), ['remove main-1', 'remove init-1']);
  });

  it('stops also what may run, be it one container only', () => {
    const lost = observe([exited('main', 42), instance('helper', 'unknown')]);
    assert.deepEqual(inShort(decideReset(pod, lost)), ['stop helper', 'remove helper-1', 'remove main-1']);
  });

  it('does nothing for another exit code, a running container or an older instance', () => {
    for (const containers of [
      [exited('main', 1)],
      [instance('main', 'running')],
      [instance('main', 'running', { id: 'main-2' }), exited('main', 42)],
      [],
    ])
      assert.deepEqual(decideReset(pod, observe(containers)), []);
  });

  it('comes before a lost sandbox, and the next pass starts over with the first init container', () => {
    const lost = { ...observed, sandboxes: [sandbox({ ready: false })] };
    assert.deepEqual(inShort(decidePod(podFacts({ pod, observed: lost })).actions)[0], 'stop helper+side');
    const empty = observe([instance('debug', 'running')]);
    assert.deepEqual(inShort(decidePod(podFacts({ pod, observed: empty })).actions), ['start init']);
  });
});
