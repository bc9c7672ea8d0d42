import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { Node } from '../../core/api/node.ts';
import type { CsiNodeObject } from '../../core/api/storage.ts';
import { CSI_NODES, NODES } from '../../ports/cluster/api-resource.ts';
import { ApiCsiNodeRecord, NOT_INITIALIZED } from './csi-node-record.ts';

const INFO = { driver: 'drv.test', nodeId: 'id-1', maxVolumes: 5, topology: { 'topology.test/zone': 'z' } };
const NO_STOP = new AbortController().signal;

function setUp() {
  const clock = new FakeClock();
  const api = new MemoryApiServer({ clock });
  const logger = new RecordingLogger();
  let initialized = 0;
  const exists = Promise.withResolvers<void>();
  const record = new ApiCsiNodeRecord({
    api,
    clock,
    logger,
    nodeName: 'n',
    whenNodeExists: () => exists.promise,
    onInitialized: () => {
      initialized += 1;
    },
  });
  const node = () => api.peek<Node>(NODES, 'n');
  const csiNode = () => api.peek<CsiNodeObject>(CSI_NODES, 'n');
  return { clock, api, record, node, csiNode, nodeExists: exists.resolve, initialized: () => initialized };
}

describe('ApiCsiNodeRecord', () => {
  it('creates the CSINode as soon as there is a node, and reports its absence until then', async () => {
    const { record, api, clock, csiNode, node, nodeExists, initialized } = setUp();
    const running = record.run(NO_STOP);
    await clock.advance(3_000);
    assert.equal(record.problem, NOT_INITIALIZED);
    assert.equal(record.problemFor(false), NOT_INITIALIZED);
    assert.equal(record.problemFor(true), undefined, 'a restart flips no node that was ready');
    api.put(NODES, { metadata: { name: 'n' } });
    nodeExists();
    await running;
    assert.equal(record.problem, undefined);
    assert.equal(initialized(), 1);
    const owner = csiNode()?.metadata.ownerReferences?.[0];
    assert.deepEqual(owner, { apiVersion: 'v1', kind: 'Node', name: 'n', uid: node()?.metadata.uid });
    assert.match(
      csiNode()?.metadata.annotations?.['storage.alpha.kubernetes.io/migrated-plugins'] ?? '',
      /aws-ebs,/,
    );
  });

  it('reports why it cannot be created', async () => {
    const { record, api, clock, nodeExists } = setUp();
    api.put(NODES, { metadata: { name: 'n' } });
    nodeExists();
    api.fail({ verb: 'create', plural: 'csinodes' }, 'permission-denied');
    const running = record.run(NO_STOP);
    await clock.settle();
    assert.match(record.problem ?? '', /^failed to initialize CSINode: /);
    assert.equal(record.problemFor(true), record.problem);
    await clock.advance(1_000);
    await running;
    assert.equal(record.problem, undefined);
  });

  it('records a driver in both objects and removes it from both, except for labels', async () => {
    const { record, api, node, csiNode } = setUp();
    api.put(NODES, {
      metadata: { name: 'n', annotations: { 'csi.volume.kubernetes.io/nodeid': '{"a.test":"x"}' } },
    });
    await record.add(INFO, NO_STOP);
    assert.deepEqual(csiNode()?.spec.drivers, [
      { name: 'drv.test', nodeID: 'id-1', topologyKeys: ['topology.test/zone'], allocatable: { count: 5 } },
    ]);
    assert.equal(
      node()?.metadata.annotations?.['csi.volume.kubernetes.io/nodeid'],
      '{"a.test":"x","drv.test":"id-1"}',
    );
    assert.equal(node()?.metadata.labels?.['topology.test/zone'], 'z');
    await record.remove('drv.test');
    assert.deepEqual(csiNode()?.spec.drivers, []);
    assert.equal(node()?.metadata.annotations?.['csi.volume.kubernetes.io/nodeid'], '{"a.test":"x"}');
    assert.equal(node()?.metadata.labels?.['topology.test/zone'], 'z');
  });

  it('writes nothing when nothing changed', async () => {
    const { record, api } = setUp();
    api.put(NODES, { metadata: { name: 'n' } });
    await record.add(INFO, NO_STOP);
    api.forgetCalls();
    await record.add(INFO, NO_STOP);
    assert.deepEqual(
      api.calls.map(({ verb }) => verb).filter((verb) => verb !== 'get'),
      [],
    );
  });

  it('recomputes a change after a conflict with another writer', async () => {
    const { record, api, clock, csiNode } = setUp();
    api.put(NODES, { metadata: { name: 'n' } });
    await record.add({ ...INFO, driver: 'a.test' }, NO_STOP);
    api.fail({ verb: 'update', plural: 'csinodes' }, 'conflict');
    const adding = record.add(INFO, NO_STOP);
    await clock.advance(100);
    await adding;
    assert.deepEqual(
      csiNode()?.spec.drivers.map(({ name }) => name),
      ['a.test', 'drv.test'],
    );
  });

  it('replaces what an earlier node of the name has left', async () => {
    const { record, api, csiNode } = setUp();
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'earlier' };
    api.put(CSI_NODES, {
      metadata: { name: 'n', ownerReferences: [owner] },
      spec: { drivers: [{ name: 'x', nodeID: 'y' }] },
    });
    api.put(NODES, { metadata: { name: 'n' } });
    await record.add(INFO, NO_STOP);
    assert.deepEqual(
      csiNode()?.spec.drivers.map(({ name }) => name),
      ['drv.test'],
    );
  });

  it('refuses a driver without an id or with a contradicting topology', async () => {
    const { record, api, csiNode } = setUp();
    api.put(NODES, { metadata: { name: 'n', labels: { 'topology.test/zone': 'other' } } });
    await assert.rejects(record.add({ ...INFO, nodeId: '' }, NO_STOP), /driverNodeID must not be empty/);
    await assert.rejects(
      record.add(INFO, NO_STOP),
      /collision: driver reported "topology.test\/zone":"z" but existing label is "topology.test\/zone":"other"/,
    );
    assert.equal(csiNode(), undefined);
  });
});
