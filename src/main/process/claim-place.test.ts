import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { SystemClock } from '../../adapters/linux/machine/system-clock.ts';
import { Scope } from '../../base/scope.ts';
import { claimCgroupRoot, claimRootDirectory } from './claim-place.ts';

const base = mkdtempSync(join(tmpdir(), 'claim-'));
after(() => rmSync(base, { recursive: true }));

describe('claimRootDirectory', () => {
  it('lets one kubelet have it, and the next one once the first has ended', async () => {
    const rootDir = join(base, 'root');
    const logger = new RecordingLogger();
    const [first, second, third] = [Scope.root('a'), Scope.root('b'), Scope.root('c')];
    const clock = new FakeClock();
    await claimRootDirectory(rootDir, { clock, logger, scope: first });
    await assert.rejects(
      claimRootDirectory(rootDir, { clock, logger, scope: second, patienceMs: 0 }),
      /^AgentError: another kubelet \(pid \d+, root directory ".*root"\) uses the root directory ".*root": stop it first, or set another --root-dir$/,
    );
    assert.equal(clock.pendingTimers, 0);
    const waiting = claimRootDirectory(rootDir, { clock: new SystemClock(), logger, scope: third });
    await first.close();
    await waiting;
    await Promise.all([second.close(), third.close()]);
  });

  it('says where it may not write', async () => {
    const file = join(base, 'file');
    writeFileSync(file, '');
    const scope = Scope.root('d');
    const parts = { clock: new FakeClock(), logger: new RecordingLogger(), scope };
    await assert.rejects(
      claimRootDirectory(file, parts),
      /^AgentError: cannot create directory ".*file": file already exists$/,
    );
    await scope.close();
  });
});

describe('claimCgroupRoot', () => {
  it('keeps a second kubelet with another root directory away from the same pod cgroups and names the holder', async () => {
    const directory = join(base, 'run');
    const [first, second] = [Scope.root('e'), Scope.root('f')];
    const parts = { clock: new FakeClock(), logger: new RecordingLogger(), patienceMs: 0 };
    await claimCgroupRoot('/kubepods', '/var/lib/a', { ...parts, scope: first }, directory);
    await assert.rejects(
      claimCgroupRoot('/kubepods', '/var/lib/b', { ...parts, scope: second }, directory),
      new RegExp(
        `^AgentError: another kubelet \\(pid ${process.pid}, root directory "/var/lib/a"\\) uses the pod cgroups ` +
          'below "/kubepods": stop it first, or set another cgroupRoot$',
      ),
    );
    await claimCgroupRoot('/other/kubepods', '/var/lib/b', { ...parts, scope: second }, directory);
    await Promise.all([first.close(), second.close()]);
  });
});
