import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../../test/samples/sample-pod.ts';
import { AgentError } from '../../../base/errors.ts';
import { type ApiServer, ApiStatusError, type ObjectRef } from '../../../ports/cluster/api-server.ts';
import { ApiClaimReader } from './api-claim-reader.ts';

function reading(answer: (ref: ObjectRef) => unknown): ApiClaimReader {
  return new ApiClaimReader({ get: (async (ref) => answer(ref)) as ApiServer['get'] });
}

describe('ApiClaimReader', () => {
  it('gets single objects, as a node may', async () => {
    const asked: string[] = [];
    const reader = reading(({ resource, namespace, name }) => {
      asked.push(`${resource.plural} ${namespace}/${name}`);
      return { metadata: { name } };
    });
    await reader.claim('market', 'disk');
    const answer = await reader.persistentVolume('pv-1');
    assert.deepEqual(answer, { kind: 'found', object: { metadata: { name: 'pv-1' } } });
    assert.deepEqual(asked, ['persistentvolumeclaims market/disk', 'persistentvolumes undefined/pv-1']);
  });

  it('hands the claims of pods and their volumes to a later run, for when the server is away', async () => {
    const objects: Record<string, object> = {
      disk: { metadata: { name: 'disk', resourceVersion: '1' }, spec: { volumeName: 'pv-1' } },
      other: { metadata: { name: 'other', resourceVersion: '1' }, spec: { volumeName: 'pv-2' } },
      'pv-1': { metadata: { name: 'pv-1', resourceVersion: '1' }, spec: { capacity: {} } },
    };
    let changes = 0;
    const get = (async ({ name }) => objects[name]) as ApiServer['get'];
    const first = new ApiClaimReader({ get }, () => changes++);
    for (const name of ['disk', 'disk', 'other']) await first.claim('market', name);
    await first.persistentVolume('pv-1');
    assert.equal(changes, 3);
    const pod = samplePod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'disk' } }] });
    const storage = JSON.parse(JSON.stringify(first.remember([pod])));
    assert.deepEqual(Object.keys(storage), ['persistentvolumeclaims/market/disk', 'persistentvolumes//pv-1']);
    let code: 'unavailable' | 'permission-denied' = 'unavailable';
    const later = reading(() => {
      throw new AgentError(code, 'cannot get');
    });
    later.restore(storage);
    assert.deepEqual(await later.claim('market', 'disk'), { kind: 'found', object: objects['disk'] });
    assert.deepEqual(await later.persistentVolume('pv-1'), { kind: 'found', object: objects['pv-1'] });
    assert.equal((await later.claim('market', 'other')).kind, 'failed');
    code = 'permission-denied';
    assert.equal((await later.claim('market', 'disk')).kind, 'failed');
  });

  it('reports what is missing or refused in the words of the API server', async () => {
    const missing = await reading(() => undefined).claim('market', 'disk');
    assert.deepEqual(missing, { kind: 'failed', message: 'persistentvolumeclaims "disk" not found' });
    const status = { code: 403, reason: 'Forbidden', message: 'no relationship found' };
    const refused = await reading(() => {
      throw new AgentError('permission-denied', 'cannot get', { cause: new ApiStatusError(status) });
    }).persistentVolume('pv-1');
    assert.deepEqual(refused, { kind: 'failed', message: 'no relationship found' });
  });
});
