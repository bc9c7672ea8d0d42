/**
 * Our schemas and types of API objects beside what the API server says of
 * itself: no field of ours that it does not have, none with another type, and
 * no field of a pod that a manifest could not hold.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { NEEDS_CLUSTER } from './cluster.ts';
import { compareSchemas } from './openapi-compare.ts';
import { type OpenApiSchemas, readOpenApi } from './openapi-document.ts';
import { compareTypes, type TypePair } from './openapi-types.ts';

const CORE = 'io.k8s.api.core.v1';
const STORAGE = 'io.k8s.api.storage.v1';
const GROUPS = ['api/v1', 'apis/coordination.k8s.io/v1', 'apis/storage.k8s.io/v1'];

/** Objects without an API server: we take the parts that need no controller. */
const LOCAL_OBJECTS = ['ConfigMap', 'Secret', 'PersistentVolume', 'PersistentVolumeClaim'];

const TYPES: readonly TypePair[] = [
  {
    ...{ ours: 'Pod', file: 'core/api/pod.ts', theirs: `${CORE}.Pod` },
    // One type for these sources in pods and in persistent volumes, where the field exists.
    known: ['iscsi', 'flexVolume'].map(
      (source) => `Pod.spec.volumes.${source}.secretRef.namespace is missing`,
    ),
  },
  { ours: 'Node', file: 'core/api/node.ts', theirs: `${CORE}.Node` },
  { ours: 'Lease', file: 'core/api/lease.ts', theirs: 'io.k8s.api.coordination.v1.Lease' },
  { ours: 'ApiEvent', file: 'core/events/api-event.ts', theirs: `${CORE}.Event` },
  { ours: 'PersistentVolume', file: 'core/api/persistent-volume.ts', theirs: `${CORE}.PersistentVolume` },
  {
    ours: 'PersistentVolumeClaim',
    file: 'core/api/persistent-volume.ts',
    theirs: `${CORE}.PersistentVolumeClaim`,
  },
  { ours: 'CsiDriverObject', file: 'core/api/storage.ts', theirs: `${STORAGE}.CSIDriver` },
  { ours: 'CsiNodeObject', file: 'core/api/storage.ts', theirs: `${STORAGE}.CSINode` },
  { ours: 'VolumeAttachment', file: 'core/api/storage.ts', theirs: `${STORAGE}.VolumeAttachment` },
];

describe('our view of the API', NEEDS_CLUSTER, () => {
  let schemas: OpenApiSchemas = new Map();
  before(async () => {
    schemas = await readOpenApi(GROUPS);
  });

  it('the schema of manifests has the fields of a pod, all of them, with their types', () => {
    assert.deepEqual(compareSchemas('Pod', `${CORE}.Pod`, { schemas, isComplete: true }), []);
  });

  for (const name of LOCAL_OBJECTS)
    it(`the schema of a ${name} has only fields that exist, with their types`, () => {
      assert.deepEqual(compareSchemas(name, `${CORE}.${name}`, { schemas, isComplete: false }), []);
    });

  it('the types have only fields that exist, with their types', async () => {
    assert.equal(await compareTypes(TYPES, schemas), '');
  });

  it('a field that does not exist, or has another type, would be found', async () => {
    const wrong: TypePair = { ours: 'Node', file: 'core/api/node.ts', theirs: `${CORE}.Pod` };
    assert.match(await compareTypes([wrong], schemas), /Node\.spec\.podCIDR is missing/);
    const differences = compareSchemas('PodSpec', `${CORE}.NodeSpec`, { schemas, isComplete: true });
    assert.ok(differences.includes('PodSpec.containers: does not exist upstream'));
    assert.ok(differences.includes('PodSpec.podCIDR: is missing in our schema'));
  });
});
