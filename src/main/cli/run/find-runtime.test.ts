import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findRuntime } from './find-runtime.ts';

const usual = ['/run/a.sock', '/run/b.sock'];
const states = (known: Record<string, string>) => async (path: string) => known[path] ?? 'ENOENT';

describe('findRuntime', () => {
  it('takes the first usual place where something listens', async () => {
    const trySocket = states({ '/run/b.sock': 'open' });
    assert.equal(await findRuntime({ named: undefined, env: {}, trySocket, usual }), 'unix:///run/b.sock');
  });

  it('takes the one of the command line before that of the environment', async () => {
    const env = { CONTAINER_RUNTIME_ENDPOINT: 'unix:///e.sock' };
    const trySocket = async () => 'open';
    assert.equal(await findRuntime({ named: '/n.sock', env, trySocket, usual }), 'unix:///n.sock');
    assert.equal(await findRuntime({ named: undefined, env, trySocket, usual }), 'unix:///e.sock');
  });

  it('does not go on to another one when the named one is silent', async () => {
    const trySocket = states({ '/run/a.sock': 'open', '/n.sock': 'ECONNREFUSED' });
    await assert.rejects(
      findRuntime({ named: 'unix:///n.sock', env: {}, trySocket, usual }),
      /"\/n.sock" \(ECONNREFUSED\)/,
    );
  });

  it('says what is missing, and who may not look', async () => {
    await assert.rejects(
      findRuntime({ named: undefined, env: {}, trySocket: states({}), usual }),
      /install one/,
    );
    const trySocket = states({ '/run/b.sock': 'EACCES' });
    await assert.rejects(findRuntime({ named: undefined, env: {}, trySocket, usual }), /run it as root/);
  });
});
