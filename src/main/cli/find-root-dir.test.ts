import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
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
  it('reads the claims of kubelets that are alive, each once', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kts-'));
    const file = (name: string, text: string) => writeFile(join(directory, name), text);
    for (const [pid, program] of [
      ['1', 'kubelet'],
      ['2', 'sleep'],
    ]) {
      await mkdir(join(directory, pid ?? ''));
      await file(`${pid}/cmdline`, `/usr/bin/${program}\0--x`);
    }
    await file('cgroup-a.lock', '1 /my root\n');
    await file('logs-a.lock', '1 /my root\n');
    await file('taken-over.lock', '2 /b\n');
    await file('dead.lock', '3 /c\n');
    await file('odd.lock', 'what');
    await file('no-lock', '1 /d\n');
    assert.deepEqual(await findRunningKubelets(directory, directory), ['/my root']);
    assert.deepEqual(await findRunningKubelets(join(directory, 'none')), []);
    await rm(directory, { recursive: true });
  });
});
