import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { setOwnMaxFiles, setOwnOomScore } from './process-limits.ts';

const directory = mkdtempSync(join(tmpdir(), 'limits-'));
after(() => rmSync(directory, { recursive: true }));

describe('setOwnOomScore', () => {
  it('writes the score, or says where it could not', async () => {
    const path = join(directory, 'oom_score_adj');
    await setOwnOomScore(-999, path);
    assert.equal(readFileSync(path, 'utf8'), '-999');
    await assert.rejects(setOwnOomScore(1, '/none/x'), /^AgentError: cannot write "\/none\/x": no such file/);
  });
});

describe('setOwnMaxFiles', () => {
  it('has soft and hard limit of this process set, or says why not', async () => {
    const program = join(directory, 'prlimit');
    writeFileSync(program, `#!/bin/sh\necho "$@" > ${directory}/asked\n`);
    chmodSync(program, 0o755);
    await setOwnMaxFiles(5000, program);
    assert.equal(readFileSync(join(directory, 'asked'), 'utf8'), `--pid=${process.pid} --nofile=5000:5000\n`);
    writeFileSync(program, '#!/bin/sh\necho "Operation not permitted" >&2\nexit 1\n');
    await assert.rejects(
      setOwnMaxFiles(5000, program),
      /^AgentError: cannot set the limit of open files to "5000": Operation not permitted$/,
    );
  });
});
