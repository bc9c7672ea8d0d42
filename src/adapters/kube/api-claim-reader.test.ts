import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgentError } from '../../base/errors.ts';
import { type ApiServer, ApiStatusError, type ObjectRef } from '../../ports/api-server.ts';
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

  it('tells what is missing or refused in the words of the API server', async () => {
    const missing = await reading(() => undefined).claim('market', 'disk');
    assert.deepEqual(missing, { kind: 'failed', message: 'persistentvolumeclaims "disk" not found' });
    const status = { code: 403, reason: 'Forbidden', message: 'no relationship found' };
    const refused = await reading(() => {
      throw new AgentError('permission-denied', 'cannot get', { cause: new ApiStatusError(status) });
    }).persistentVolume('pv-1');
    assert.deepEqual(refused, { kind: 'failed', message: 'no relationship found' });
  });
});
