import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../../test/fakes/memory-api-server.ts';
import { SERVICE_ACCOUNTS } from '../../../ports/cluster/api-resource.ts';
import { ApiServiceAccountReader } from './service-account-reader.ts';

describe('ApiServiceAccountReader', () => {
  it('reads who the account is and what is noted on it', async () => {
    const api = new MemoryApiServer({ clock: new FakeClock() });
    const metadata = { name: 'builder', namespace: 'n', uid: 'sa-1', annotations: { role: 'r' } };
    api.put(SERVICE_ACCOUNTS, { metadata });
    const read = await new ApiServiceAccountReader(api).read('n', 'builder');
    assert.deepEqual(read, { ok: true, value: { uid: 'sa-1', annotations: { role: 'r' } } });
  });

  it('refuses with the reason when there is none, or the server does not answer', async () => {
    const api = new MemoryApiServer({ clock: new FakeClock() });
    const reader = new ApiServiceAccountReader(api);
    const missing = await reader.read('n', 'missing');
    assert.ok(!missing.ok && /missing.*not found/.test(missing.message));
    api.unreachable = true;
    const unreachable = await reader.read('n', 'builder');
    assert.ok(!unreachable.ok && /cannot be reached/.test(unreachable.message));
  });
});
