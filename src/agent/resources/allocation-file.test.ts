import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { Clock } from '../../base/async/clock.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { AllocationFile } from './allocation-file.ts';

it('AllocationFile writes soon also after the process was halted while it made the text', async () => {
  const files = new FakeFiles();
  await files.makeDirectory('/root', 0o755);
  const virtual = new FakeClock();
  let haltedMs = 0;
  const clock: Clock = {
    now: () => virtual.now(),
    steady: () => {
      haltedMs += 60_000;
      return virtual.steady() + haltedMs;
    },
    startTimer: (delayMs, run) => virtual.startTimer(delayMs, run),
  };
  const file = new AllocationFile('/root/state', { files, clock, logger: new RecordingLogger() });
  file.set(toPodUid('first'), { containers: {} });
  await virtual.advance(200);
  file.set(toPodUid('second'), { containers: {} });
  await virtual.advance(10_000);
  assert.match((await files.readFile('/root/state')) ?? '', /second/);
});
