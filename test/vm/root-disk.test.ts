import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';

/** Those of a host that are needed for this, without apt-get and mmdebstrap. */
const PROGRAMS = 'awk bash cat cut dirname echo flock mkdir sed sha256sum sort tr xargs';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'root-disk-'));
  mkdirSync(join(base, 'bin'));
  const link = `for program in ${PROGRAMS}; do ln -s "$(type -P "$program")" .; done`;
  execFileSync('bash', ['-c', link], { cwd: join(base, 'bin'), stdio: 'ignore' });
  for (const [program, text] of [
    ['mkfs.ext4', ''],
    ['id', 'echo 0'],
  ] as const)
    writeFileSync(join(base, 'bin', program), `#!${base}/bin/bash\n${text}\n`, { mode: 0o755 });
});
afterEach(() => rmSync(base, { recursive: true }));

function run(script: string) {
  const env = { PATH: join(base, 'bin'), KUBELET_TS_HOST_DIR: join(base, 'host') };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: import.meta.dirname,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { status, output: stdout.trim(), stderr };
}

describe('root-disk.sh on a host without apt-get', () => {
  it('ends with what is missing to make the disk, and needs nothing for one that was copied there', () => {
    const missing = run('bash ./root-disk.sh');
    assert.equal(missing.status, 1, missing.stderr);
    assert.match(missing.stderr, /needs mmdebstrap, and this host has no apt-get/);
    const directory = join(base, 'host/vm/trixie');
    mkdirSync(directory, { recursive: true });
    const { output: stamp } = run(
      'cat root-disk.sh guest/*.service guest/begin-suites.sh | sha256sum | cut -c-64',
    );
    writeFileSync(join(directory, 'stamp'), stamp);
    const { status, output, stderr } = run('bash ./root-disk.sh');
    assert.deepEqual([status, output], [0, directory], stderr);
  });
});
