import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimRuntimeState } from './claim-runtime-state.ts';
import { NodeState } from './node-state.ts';

describe('NodeState', () => {
  it('has a neutral value for a key without an owner', () => {
    const state = new NodeState();
    assert.deepEqual(state.get('pressures'), { memory: false, disk: false, pid: false });
    assert.equal(state.get('shutdown'), undefined);
    assert.deepEqual(state.get('devices'), []);
  });

  it('asks the owner at the moment of the question', () => {
    const state = new NodeState();
    let why: string | undefined;
    state.claim('shutdown', () => why);
    assert.equal(state.get('shutdown'), undefined);
    why = 'node is shutting down';
    assert.equal(state.get('shutdown'), 'node is shutting down');
  });

  it('refuses a second writer of a key', () => {
    const state = new NodeState();
    state.claim('devices', () => []);
    assert.throws(() => state.claim('devices', () => []), /"devices" has an owner already/);
    state.claim('pressures', () => ({ memory: true, disk: false, pid: false }));
    assert.equal(state.get('pressures').memory, true);
  });

  it('calls listeners with the key that changed, until they are disposed', () => {
    const state = new NodeState();
    const heard: string[] = [];
    const subscription = state.subscribe((key) => void heard.push(key));
    const claim = state.claim('storage', () => ({ problem: undefined, volumesInUse: [] }));
    claim.changed();
    assert.deepEqual(heard, ['storage']);
    subscription[Symbol.dispose]();
    claim.changed();
    assert.deepEqual(heard, ['storage']);
  });
});

describe('claimRuntimeState', () => {
  it('answers for runtime and network, whose state is unknown before the first answer', () => {
    const state = new NodeState();
    const heard: string[] = [];
    state.subscribe((key) => void heard.push(key));
    const listeners: (() => void)[] = [];
    const monitor: {
      runtimeProblem: string | undefined;
      networkProblem: string | undefined;
      absence: undefined;
      status: undefined | { conditions: []; handlers: []; features: never };
      subscribe: (listener: () => void) => Disposable;
    } = {
      runtimeProblem: 'not asked yet',
      absence: undefined,
      networkProblem: undefined,
      status: undefined,
      subscribe: (listener) => {
        listeners.push(listener);
        return { [Symbol.dispose]: () => {} };
      },
    };
    claimRuntimeState(state, monitor, { problem: 'PLEG is not healthy' });
    assert.equal(state.get('network'), 'network state unknown');
    assert.equal(state.get('runtime').problem, 'not asked yet');
    assert.equal(state.get('runtime').listingProblem, 'PLEG is not healthy');
    monitor.status = { conditions: [], handlers: [], features: undefined as never };
    assert.equal(state.get('network'), undefined);
    monitor.networkProblem = 'no network';
    assert.equal(state.get('network'), 'no network');
    for (const listener of listeners) listener();
    assert.deepEqual(heard, ['runtime', 'network']);
  });
});
