import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { SystemClock } from '../../adapters/linux/machine/system-clock.ts';
import { Scope } from '../../base/scope.ts';
import { claimRootDirectory, claimSharedPlaces } from './claim-place.ts';

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

describe('claimSharedPlaces', () => {
  const directory = join(base, 'run');
  const parts = { clock: new FakeClock(), logger: new RecordingLogger(), patienceMs: 0 };
  const a = { podsCgroup: '/kubepods', podLogsDir: '/var/log/pods' };

  it('keeps a second kubelet away from the same pod cgroups and names the holder', async () => {
    const [first, second] = [Scope.root('e'), Scope.root('f')];
    await claimSharedPlaces(a, '/var/lib/a', { ...parts, scope: first }, directory);
    const b = { ...a, podLogsDir: '/var/log/b' };
    const holder = `pid ${process.pid}, root directory "/var/lib/a"`;
    await assert.rejects(claimSharedPlaces(b, '/var/lib/b', { ...parts, scope: second }, directory), {
      message: `another kubelet (${holder}) uses the pod cgroups below "/kubepods": stop it first, or set another cgroupRoot`,
    });
    await Promise.all([first.close(), second.close()]);
  });

  it('keeps a second kubelet away from the same log directory', async () => {
    const [first, second] = [Scope.root('g'), Scope.root('h')];
    await claimSharedPlaces(a, '/var/lib/a', { ...parts, scope: first }, directory);
    const b = { ...a, podsCgroup: '/other/kubepods' };
    await assert.rejects(
      claimSharedPlaces(b, '/var/lib/b', { ...parts, scope: second }, directory),
      /uses the log directory "\/var\/log\/pods": stop it first, or set another podLogsDir$/,
    );
    const c = { podsCgroup: undefined, podLogsDir: '/var/log/c' };
    await claimSharedPlaces(c, '/var/lib/c', { ...parts, scope: second }, directory);
    await Promise.all([first.close(), second.close()]);
  });
});
