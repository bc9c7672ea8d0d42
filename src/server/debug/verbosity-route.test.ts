import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toVerbosityRoute } from './verbosity-route.ts';

async function ask(method: string, body: string) {
  const levels: number[] = [];
  const route = toVerbosityRoute((level) => levels.push(level));
  const request = {
    method,
    path: route.path,
    query: new URLSearchParams(),
    headers: {},
    body: new TextEncoder().encode(body),
  };
  const reply = await route.handle(request, new AbortController().signal);
  return [reply.status, reply.body, levels];
}

describe('toVerbosityRoute', () => {
  it('sets the level and says so', async () => {
    assert.deepEqual(await ask('PUT', '4'), [200, 'successfully set klog.logging.verbosity to 4\n', [4]]);
  });

  for (const body of ['', '-1', 'x', '4294967296'])
    it(`refuses "${body}"`, async () => {
      const [status, text, levels] = await ask('PUT', body);
      assert.equal(status, 400);
      assert.equal(text, `strconv.ParseUint: parsing ${JSON.stringify(body)}: invalid syntax\n`);
      assert.deepEqual(levels, []);
    });

  it('knows no other method', async () => {
    assert.deepEqual(await ask('GET', '4'), [406, 'unsupported http method\n', []]);
  });
});
