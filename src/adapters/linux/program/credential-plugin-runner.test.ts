import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import type { CredentialProvider } from '../../../core/image/credential-provider.ts';
import { CredentialPluginRunner } from './credential-plugin-runner.ts';

describe('CredentialPluginRunner', () => {
  let directory: string;
  const clock = new FakeClock();
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plugins-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const run = async (script: string, more: Partial<CredentialProvider> = {}): Promise<string> => {
    await writeFile(join(directory, 'plugin'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const provider = { name: 'plugin', args: [], env: [], ...more } as unknown as CredentialProvider;
    const environment = { PATH: process.env['PATH'], FROM_AGENT: 'agent', BOTH: 'agent' };
    return new CredentialPluginRunner({ directory, clock, environment }).run(
      provider,
      'a.example/app',
      'question',
    );
  };

  it('gives it the request, its arguments and the environment, and takes what it says', async () => {
    const env = [
      { name: 'BOTH', value: 'configuration' },
      { name: 'ADDED', value: '$(id)' },
    ];
    const said = await run('cat; echo "|$1|$2|$FROM_AGENT|$BOTH|$ADDED"', { args: ['a b', '$HOME'], env });
    assert.equal(said, 'question|a b|$HOME|agent|configuration|$(id)\n');
    assert.equal(clock.pendingTimers, 0);
  });

  it('reports the exit and standard error, but never standard output', async () => {
    await assert.rejects(
      run('echo hunter2; echo "no such role" >&2; exit 3'),
      /^AgentError: error execing credential provider plugin plugin for image a\.example\/app: exit status 3: no such role$/,
    );
    await assert.rejects(run('kill -9 $$'), /ended by SIGKILL/);
    await assert.rejects(run('', { name: 'absent' }), /plugin absent for image .*ENOENT/);
    assert.equal(clock.pendingTimers, 0);
  });

  it('one that does not read its input, or says too much, does no harm', async () => {
    assert.equal(await run('exec 0<&-; echo fine'), 'fine\n');
    await assert.rejects(run('head -c 2000000 /dev/zero'), /its output is too long/);
  });

  it('is ended after a minute, with what it started', async () => {
    const pidFile = join(directory, 'pid');
    const running = run(`sleep 1000 & echo $! >${pidFile}; wait`);
    let pid = '';
    while (pid === '') {
      await delay(5);
      pid = await readFile(pidFile, 'utf8').catch(() => '');
    }
    await clock.advance(60_000);
    await assert.rejects(running, /context deadline exceeded/);
    // Its end may not have been reaped yet; the kernel knows it.
    const isOver = async (): Promise<boolean> => {
      const stat = await readFile(`/proc/${pid.trim()}/stat`, 'utf8').catch(() => ') Z');
      return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
    };
    while (!(await isOver())) await delay(5);
  });
});
