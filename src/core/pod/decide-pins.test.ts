import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toContainerId, toPodUid } from '../model/ids.ts';
import type { ObservedContainer, ObservedPod } from '../model/observed-pod.ts';
import { decidePins, type PinFacts } from './decide-pins.ts';

const container = (id: string, name: string, state: ObservedContainer['state']) =>
  ({ id: toContainerId(id), name, state }) as ObservedContainer;
const observed: ObservedPod = {
  uid: toPodUid('p'),
  sandboxes: [],
  containers: [
    container('c2', 'main', 'running'),
    container('c1', 'main', 'exited'),
    container('c3', 'side', 'running'),
  ],
};
const pins = (more: Partial<PinFacts> = {}): PinFacts => ({
  wanted: () => '0-3',
  applied: () => undefined,
  retryAtMs: undefined,
  ...more,
});
const decide = (facts: PinFacts | undefined, touched: readonly string[] = [], nowMs = 100) =>
  decidePins({ observed, pins: facts, nowMs }, new Set(touched));

describe('decidePins', () => {
  it('moves running containers that are elsewhere, or of which it is not known', () => {
    const applied: PinFacts['applied'] = (id) => (id === 'c3' ? '0-3' : '0-7');
    assert.deepEqual(decide(pins({ applied })).actions, [
      { kind: 'pin-containers', pins: [{ id: 'c2', name: 'main', cpus: '0-3' }] },
    ]);
    assert.equal(decide(pins()).actions.length, 1);
  });

  it('believes the runtime where nothing was set in this life of the agent', () => {
    const [main, old, side] = observed.containers;
    assert.ok(main !== undefined && old !== undefined && side !== undefined);
    const said = (cpusetCpus: string) => ({ resources: { cpusetCpus } }) as ObservedContainer['details'];
    const containers = [
      { ...main, details: said('0-3') },
      old,
      { ...side, details: said('0-7') },
    ] as ObservedContainer[];
    const decided = decidePins({ observed: { ...observed, containers }, pins: pins(), nowMs: 0 }, new Set());
    assert.deepEqual(decided.actions, [
      { kind: 'pin-containers', pins: [{ id: 'c3', name: 'side', cpus: '0-3' }] },
    ]);
  });

  it('leaves alone what the kernel decides, and what starts or stops anyway', () => {
    assert.deepEqual(decide(undefined), { actions: [], wakeUps: [] });
    assert.deepEqual(decide(pins({ wanted: () => undefined })).actions, []);
    assert.deepEqual(decide(pins(), ['main', 'side']).actions, []);
  });

  it('waits after a failure', () => {
    assert.deepEqual(decide(pins({ retryAtMs: 200 })), { actions: [], wakeUps: [200] });
    assert.equal(decide(pins({ retryAtMs: 200 }), [], 200).actions.length, 1);
  });
});
