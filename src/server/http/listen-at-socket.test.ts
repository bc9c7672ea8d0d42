import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../base/errors.ts';
import { listenAtSocket } from './listen-at-socket.ts';

let directory: string;
const servers: Server[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kts-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true });
});

async function open(path: string): Promise<Server> {
  const server = createServer((socket) => socket.end());
  await listenAtSocket(server, path);
  servers.push(server);
  return server;
}

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe('listenAtSocket', () => {
  it('makes a socket and a directory for its own user only', async () => {
    const path = join(directory, 'own', 'a.sock');
    await mkdir(join(directory, 'own'), { mode: 0o755 });
    await open(path);
    assert.equal(await modeOf(path), 0o600);
    assert.equal(await modeOf(join(directory, 'own')), 0o700);
    const client = connect(path);
    await once(client, 'connect');
    client.destroy();
  });

  it('replaces what a killed process left behind', async () => {
    const path = join(directory, 'a.sock');
    await writeFile(path, '');
    await open(path);
    assert.equal((await stat(path)).isSocket(), true);
  });

  it('leaves a socket alone that another process serves', async () => {
    const path = join(directory, 'a.sock');
    await open(path);
    const second = listenAtSocket(createServer(), path);
    await assert.rejects(
      second,
      (error) => hasCode(error, 'already-exists') && /another process/.test(error.message),
    );
    const client = connect(path);
    await once(client, 'connect');
    client.destroy();
  });

  it('refuses a path that is too long for a socket', async () => {
    const path = join(directory, 'x'.repeat(108));
    await assert.rejects(listenAtSocket(createServer(), path), (error) => hasCode(error, 'invalid-argument'));
  });
});
