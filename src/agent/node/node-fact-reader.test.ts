import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { SAMPLE_NODE_FACTS } from '../../../test/samples/node-samples.ts';
import { listProblems } from '../../core/node-status/node-conditions.ts';
import type { RuntimeStatus, RuntimeVersion } from '../../ports/runtime/container-runtime.ts';
import type { ImageInfo } from '../../ports/runtime/image-service.ts';
import { type NodeFactParts, NodeFactReader } from './node-fact-reader.ts';
import { NodeState, type NodeStateValues, type RuntimeState } from './node-state.ts';

const STATUS: RuntimeStatus = {
  conditions: [],
  handlers: SAMPLE_NODE_FACTS.runtimeHandlers ?? [],
  features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
};
const IMAGE: ImageInfo = { id: 'i', repoTags: ['i:1'], repoDigests: [], sizeBytes: 1, pinned: false };

function setUp(values: Partial<NodeStateValues> = {}, extra: Partial<NodeFactParts> = {}) {
  const clock = new FakeClock();
  const state = new NodeState();
  const runtime: { -readonly [K in keyof RuntimeState]: RuntimeState[K] } = {
    problem: undefined,
    listingProblem: undefined,
    absence: undefined,
    status: STATUS,
  };
  state.claim('runtime', () => runtime);
  for (const key of ['pressures', 'devices', 'network', 'storage', 'shutdown'] as const)
    if (values[key] !== undefined) state.claim(key, () => values[key] as never);
  const answers = {
    version: async (): Promise<RuntimeVersion> => ({
      runtimeName: 'containerd',
      runtimeVersion: 'v2.1.9',
      runtimeApiVersion: 'v1',
    }),
    images: async (): Promise<ImageInfo[]> => [IMAGE],
  };
  const calls = { images: 0 };
  const reader = new NodeFactReader(
    {
      clock,
      logger: new RecordingLogger(),
      reader: { version: () => answers.version() },
      images: {
        listImages: () => {
          calls.images++;
          return answers.images();
        },
      },
      state,
      readAddresses: async () => ({ ips: ['10.0.0.7'] }),
      ...extra,
    },
    SAMPLE_NODE_FACTS,
  );
  const { signal } = new AbortController();
  return { clock, runtime, answers, calls, reader, read: () => clock.finish(reader.read(signal)) };
}

describe('NodeFactReader', () => {
  it('joins settings, runtime and what others know', async () => {
    const { read } = setUp({
      pressures: { memory: true, disk: false, pid: false },
      storage: { problem: undefined, volumesInUse: ['v'] },
      devices: [{ name: 'x.io/gpu', capacity: 1, allocatable: 1 }],
    });
    const facts = await read();
    assert.equal(facts.nodeName, 'worker-1');
    assert.deepEqual(facts.addresses, { requested: [], externalCloud: false, ips: ['10.0.0.7'] });
    assert.deepEqual(facts.runtime, { name: 'containerd', version: 'v2.1.9' });
    assert.deepEqual(facts.images, [IMAGE]);
    assert.deepEqual(facts.runtimeHandlers, STATUS.handlers);
    assert.equal(facts.runtimeFeatures?.supplementalGroupsPolicy, true);
    assert.equal(facts.pressures.memory, true);
    assert.deepEqual(facts.volumesInUse, ['v']);
    assert.equal(facts.resources.devices.length, 1);
    assert.deepEqual(listProblems(facts.problems), []);
  });

  it('reports the problems of the runtime first', () => {
    const storage = { problem: 's', volumesInUse: undefined };
    const { runtime, reader } = setUp({ network: 'no network', storage, shutdown: 'd' });
    runtime.problem = 'container runtime is down';
    runtime.listingProblem = 'PLEG is not healthy: x';
    assert.deepEqual(reader.readProblems(), {
      runtime: ['container runtime is down', 'PLEG is not healthy: x'],
      network: 'no network',
      storage: 's',
      shutdown: 'd',
    });
  });

  it('lists images every 30 s at most and keeps the last list when that fails', async () => {
    const { clock, answers, calls, read } = setUp();
    await read();
    await clock.advance(29_000);
    await read();
    assert.equal(calls.images, 1);
    answers.images = async () => Promise.reject(new Error('down'));
    await clock.advance(1_000);
    assert.deepEqual((await read()).images, [IMAGE]);
    assert.equal(calls.images, 2);
  });

  it('a runtime that no longer reports its version has none; one that never did has no name', async () => {
    const { clock, answers, read } = setUp();
    const fail = async (): Promise<RuntimeVersion> => Promise.reject(new Error('down'));
    answers.version = fail;
    assert.equal((await read()).runtime, undefined);
    const known = setUp();
    await known.read();
    known.answers.version = fail;
    await known.clock.advance(30_000);
    assert.deepEqual((await known.read()).runtime, { name: 'containerd', version: undefined });
    assert.equal(clock.pendingTimers, 0);
  });

  it('a runtime and a resolver that hang cost one second together', async () => {
    const { clock, answers, read } = setUp({}, { readAddresses: () => new Promise(() => {}) });
    answers.images = () => new Promise(() => {});
    answers.version = () => new Promise(() => {});
    const before = clock.now();
    const facts = await read();
    assert.equal(clock.now() - before, 1_000);
    assert.equal(facts.images, undefined);
    assert.equal(facts.runtime, undefined);
    assert.match(facts.addresses.problem ?? '', /^can't get ip address of node worker-1\. error: /);
  });
});
