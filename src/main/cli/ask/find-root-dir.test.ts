import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { toLocalSocket } from '../../config/local-socket.ts';
import { findRootDir, findRunningKubelets } from './find-root-dir.ts';

const hints = (running: readonly string[], env: Record<string, string> = {}) => ({
  env,
  findRunning: async () => running,
});

describe('findRootDir', () => {
  it('takes the one that is named, then that of the environment, then the only one that runs', async () => {
    const env = { KUBELET_ROOT_DIR: '/env' };
    assert.equal(await findRootDir('/named', hints(['/a'], env)), '/named');
    assert.equal(await findRootDir(undefined, hints(['/a'], env)), '/env');
    assert.equal(await findRootDir(undefined, hints(['/a'], { KUBELET_ROOT_DIR: '' })), '/a');
    assert.equal(await findRootDir(undefined, hints([])), '/var/lib/kubelet');
    assert.equal(await findRootDir(undefined, hints(['/a', '/var/lib/kubelet'])), '/var/lib/kubelet');
  });

  it('names them all when several may be meant', async () => {
    await assert.rejects(findRootDir(undefined, hints(['/a', '/b'])), {
      message: 'several kubelets run on this host: name one with --root-dir or KUBELET_ROOT_DIR: "/a", "/b"',
    });
  });
});

describe('findRunningKubelets', () => {
  const makeClaims = async (claims: Readonly<Record<string, string>>): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), 'kts-'));
    for (const [name, text] of Object.entries(claims)) await writeFile(join(directory, name), text);
    return directory;
  };

  it('reads the claims whose locks are held, each root directory once', async () => {
    const directory = await makeClaims({
      'cgroup-a.lock': '1 /my root\n',
      'logs-a.lock': '1 /my root\n',
      'ended.lock': `${process.pid} /ended\n`,
      'odd.lock': 'what',
      'no-lock': '1 /d\n',
    });
    const held = await Promise.all(
      ['cgroup-a.lock', 'logs-a.lock', 'odd.lock', 'no-lock'].map(
        async (name) => (await stat(join(directory, name))).ino,
      ),
    );
    const ended = (await stat(join(directory, 'ended.lock'))).ino;
    const locks = [
      ...held.map((inode, index) => `${index + 1}: FLOCK  ADVISORY  WRITE 77 00:1a:${inode} 0 EOF`),
      `9: POSIX  ADVISORY  WRITE 78 00:1a:${ended} 0 EOF`,
    ];
    await writeFile(join(directory, 'locks'), `${locks.join('\n')}\n`);
    assert.deepEqual(await findRunningKubelets(directory, join(directory, 'locks')), ['/my root']);
    assert.deepEqual(await findRunningKubelets(join(directory, 'none')), []);
    await rm(directory, { recursive: true });
  });

  it('reads the claims whose kubelets listen where the kernel lists no locks', async (t) => {
    const roots = await mkdtemp(join(tmpdir(), 'kts-'));
    const [listening, ended] = [join(roots, 'a'), join(roots, 'b')];
    await mkdir(dirname(toLocalSocket(listening)), { recursive: true });
    await mkdir(dirname(toLocalSocket(ended)), { recursive: true });
    const servers = [listening, ended].map((rootDir) => createServer().listen(toLocalSocket(rootDir)));
    t.after(() => servers.map((server) => server.close()));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    // Of a kubelet that was killed the socket is left, and this process has its number.
    await rename(toLocalSocket(ended), join(roots, 'kept'));
    servers[1]?.close();
    await rename(join(roots, 'kept'), toLocalSocket(ended));
    const directory = await makeClaims({
      'a.lock': `${process.pid} ${listening}\n`,
      'b.lock': `${process.pid} ${ended}\n`,
      'c.lock': `${process.pid} ${join(roots, 'c')}\n`,
    });
    assert.deepEqual(await findRunningKubelets(directory, join(directory, 'none')), [listening]);
    await Promise.all([directory, roots].map((path) => rm(path, { recursive: true })));
  });
});
