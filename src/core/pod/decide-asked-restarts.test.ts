import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { instanceOf, podFacts } from '../../../test/samples/sample-facts.ts';
import { exited, observe, samplePod } from '../../../test/samples/sample-pods.ts';
import type { Container, PodRestartPolicy } from '../api/pod.ts';
import { toContainerId } from '../model/ids.ts';
import { decidePod } from './decide-pod.ts';

const main: Container = { name: 'main', image: 'app:1' };
const side: Container = { name: 'side', image: 'side:1', restartPolicy: 'Always' };

function plan(asked: readonly string[], restartPolicy: PodRestartPolicy = 'Always') {
  const pod = samplePod({ restartPolicy, containers: [main], initContainers: [side] });
  const running = [
    instanceOf(main, 'running', { id: 'main-2' }),
    instanceOf(side, 'running', { id: 'side-1' }),
  ];
  const facts = podFacts({
    pod,
    observed: observe([...running, exited('main', 1, { id: 'main-1' })]),
    restartsAsked: new Set(asked.map(toContainerId)),
  });
  return decidePod(facts).actions.flatMap((action) => {
    if (action.kind === 'stop-containers') return action.stops.map(({ id }) => `stop ${id}`);
    return action.kind === 'start-container' ? [`start ${action.container.name}`] : [];
  });
}

describe('decideAskedRestarts', () => {
  it('stops and starts the instance that was meant, and no other', () => {
    assert.deepEqual(plan(['main-2']), ['stop main-2', 'start main']);
    assert.deepEqual(plan(['side-1']), ['stop side-1', 'start side']);
    assert.deepEqual(plan(['main-1']), []);
    assert.deepEqual(plan([]), []);
  });

  it('stops nothing that might not come back', () => {
    assert.deepEqual(plan(['main-2'], 'Never'), []);
    assert.deepEqual(plan(['main-2'], 'OnFailure'), []);
    assert.deepEqual(plan(['side-1'], 'OnFailure'), ['stop side-1', 'start side']);
  });
});
