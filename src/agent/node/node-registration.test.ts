import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { SAMPLE_NODE_FACTS } from '../../../test/samples/node-samples.ts';
import type { Node } from '../../core/api/node.ts';
import { NODES } from '../../ports/cluster/api-resource.ts';
import { NodeRegistration } from './node-registration.ts';

function setUp({ onlyWhenExists = false, isRecreated = false } = {}) {
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  const logger = new RecordingLogger();
  const registration = new NodeRegistration({
    api,
    clock,
    logger,
    facts: { read: async () => SAMPLE_NODE_FACTS },
    settings: {
      labels: { zone: 'z' },
      taints: [{ key: 'dedicated', effect: 'NoSchedule' }],
      providerId: '',
      controllerAttachDetach: true,
    },
    onlyWhenExists,
    readIsRecreated: async () => isRecreated,
  });
  const stop = new AbortController();
  return { clock, api, logger, stop, run: () => clock.finish(registration.run(stop.signal)) };
}

const peek = (api: MemoryApiServer): Node | undefined => api.peek<Node>(NODES, 'worker-1');

describe('NodeRegistration', () => {
  it('creates the node with labels, taints and status at once, and returns its events', async () => {
    const { api, clock, run } = setUp();
    const before = clock.now();
    const registered = await run();
    assert.equal(clock.now(), before);
    assert.equal(registered?.created, true);
    assert.deepEqual(
      registered?.events.map(({ reason }) => reason),
      ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'],
    );
    assert.equal(peek(api)?.metadata.labels?.['zone'], 'z');
    assert.equal(peek(api)?.spec?.taints?.[0]?.key, 'dedicated');
    assert.equal(peek(api)?.status?.conditions?.at(-1)?.status, 'True');
  });

  it('corrects a node that is there, through its status, and leaves taints and own labels', async () => {
    const { api, run } = setUp({ isRecreated: true });
    api.put(NODES, {
      metadata: { name: 'worker-1', labels: { 'kubernetes.io/os': 'x' } },
      spec: { podCIDR: '10.1.0.0/24' },
      status: { capacity: { 'x.io/gpu': '2' }, allocatable: { 'x.io/gpu': '2' } },
    });
    const registered = await run();
    assert.equal(registered?.created, false);
    assert.deepEqual(registered?.events, []);
    const node = peek(api);
    assert.equal(node?.metadata.labels?.['kubernetes.io/os'], 'linux');
    assert.equal(node?.metadata.labels?.['zone'], undefined);
    assert.deepEqual(node?.spec, { podCIDR: '10.1.0.0/24' });
    assert.equal(node?.status?.capacity?.['x.io/gpu'], '0');
    assert.equal(api.callsTo({ verb: 'patch', subresource: 'status' }).length, 1);
  });

  it('a node of an earlier life needs no write', async () => {
    const first = setUp();
    await first.run();
    const { api, run } = setUp();
    api.put(NODES, peek(first.api)!);
    assert.equal((await run())?.created, false);
    assert.equal(api.callsTo({ verb: 'patch' }).length, 0);
  });

  it('a refusal to create is no obstacle when the node is there', async () => {
    const { api, run } = setUp();
    api.put(NODES, { metadata: { name: 'worker-1' } });
    api.fail({ verb: 'create' }, 'permission-denied');
    assert.equal((await run())?.created, false);
  });

  it('with onlyWhenExists a refused create is retried instead of looking for the node', async () => {
    const { api, run } = setUp({ onlyWhenExists: true });
    api.fail({ verb: 'create' }, 'permission-denied');
    assert.equal((await run())?.created, true);
    assert.equal(api.callsTo({ verb: 'get' }).length, 0);
    assert.equal(api.callsTo({ verb: 'create' }).length, 2);
  });

  it('tries again after 0.1 s, doubling up to 7 s, until it succeeds', async () => {
    const { api, clock, logger, run } = setUp();
    const startMs = clock.now();
    api.fail({ verb: 'create' }, 'unavailable', 9);
    await run();
    // 0.1 + 0.2 + 0.4 + 0.8 + 1.6 + 3.2 + 6.4 + 7 + 7
    assert.equal(clock.now() - startMs, 26_700);
    assert.equal(logger.messages('error').length, 9);
  });

  it('a node that can neither be created nor found is tried again', async () => {
    const { api, run } = setUp();
    api.fail({ verb: 'create' }, 'permission-denied');
    assert.equal((await run())?.created, true);
  });

  it('ends with stop', async () => {
    const { api, clock, stop, run } = setUp();
    api.unreachable = true;
    const running = run();
    await clock.advance(1_000);
    stop.abort();
    assert.equal(await running, undefined);
    assert.equal(clock.pendingTimers, 0);
  });
});
