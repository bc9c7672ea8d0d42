import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { SilentStorage } from '../../adapters/linux/storage/storage-calls.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { SilentStorageWatch } from './silent-storage-watch.ts';

test('SilentStorageWatch names what does not answer, once, and when it answers again', () => {
  const logger = new RecordingLogger();
  const changes = new Emitter();
  const calls = {
    silent: [] as SilentStorage[],
    onChange: (listener: () => void) => changes.subscribe(listener),
  };
  const watch = new SilentStorageWatch({ clock: { now: () => 45_000 }, logger, calls });
  const listening = watch.start();
  assert.equal(watch.check.check(), undefined);
  const dead = { name: 'nfs "s:/x" at "/mnt"', calls: 2, sinceMs: 10_000 };
  calls.silent = [dead];
  changes.emit();
  changes.emit();
  assert.equal(
    watch.check.check(),
    'file system nfs "s:/x" at "/mnt" has not answered for 35s: 2 file calls',
  );
  calls.silent = [{ ...dead, name: 'other', calls: 1 }];
  changes.emit();
  assert.equal(watch.check.check(), 'file system other has not answered for 35s: 1 file call');
  listening[Symbol.dispose]();
  calls.silent = [];
  changes.emit();
  assert.deepEqual(
    logger.lines.map((line) => [line.severity, line.message, line.fields['fileSystem']]),
    [
      ['warning', 'file system does not answer', 'nfs "s:/x" at "/mnt"'],
      ['warning', 'file system does not answer', 'other'],
      ['info', 'file system answers again', 'nfs "s:/x" at "/mnt"'],
    ],
  );
});
