import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../../test/fakes/recording-logger.ts';
import { toPodUid } from '../../../core/model/ids.ts';
import { setOwnershipReportingProgress, tryOwnership } from './ownership-progress.ts';

describe('setOwnershipReportingProgress', () => {
  it('reports by events that it takes long, and its progress', async () => {
    const clock = new FakeClock();
    const warnings: string[] = [];
    const done = Promise.withResolvers<void>();
    const warn = (reason: string, message: string): void => void warnings.push(`${reason}: ${message}`);
    const ownership = { fsGroup: 1, readOnly: false, policy: 'Always' } as const;
    const path = '/var/lib/kubelet/pods/uid-1/volumes/x/data';
    const work = setOwnershipReportingProgress(
      clock,
      { podUid: toPodUid('uid-1'), warn },
      path,
      ownership,
      (_path, _to, onEntry) => {
        for (let i = 0; i < 7; i++) onEntry?.();
        return done.promise;
      },
    );
    await clock.advance(29_999);
    assert.deepEqual(warnings, []);
    await clock.advance(1 + 2 * 60_000);
    done.resolve();
    await work;
    await clock.advance(600_000);
    const start = 'VolumePermissionChangeInProgress: Setting volume ownership for uid-1/volumes/x/data';
    assert.equal(warnings.length, 3);
    assert.ok(
      (warnings as readonly string[])[0]?.startsWith(
        `${start} is taking longer than expected, consider using OnRootMismatch - `,
      ),
    );
    assert.deepEqual(warnings.slice(1), [`${start}, processed 7 files.`, `${start}, processed 7 files.`]);
  });
});

describe('tryOwnership', () => {
  it('goes on without it, and says so in the log', async () => {
    const [clock, logger] = [new FakeClock(), new RecordingLogger()];
    const request = { podUid: toPodUid('uid-1'), warn: () => {}, directory: '/nowhere/uid-1' };
    const ownership = { fsGroup: 1, readOnly: false, policy: 'Always' } as const;
    await tryOwnership({ clock, logger }, request, ownership);
    assert.deepEqual(
      logger.lines.map(({ severity, fields }) => [severity, fields['directory']]),
      [['error', '/nowhere/uid-1']],
    );
    assert.equal(clock.pendingTimers, 0);
  });
});
