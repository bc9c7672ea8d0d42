import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { checkResolver } from './resolver-check.ts';

it('checkResolver records a node event once for a bad resolver file, and again when it changes', async () => {
  const clock = new FakeClock();
  const files = new FakeFiles();
  const events = new RecordingEvents();
  const write = (text: string): Promise<void> => files.writeFile('/etc/resolv.conf', text, 0o644);
  const node = { resolvConfPath: '/etc/resolv.conf', clusterDomain: '' };
  const stop = new AbortController();
  await files.makeDirectory('/etc', 0o755);
  await write('nameserver 192.0.2.1\n');
  const running = checkResolver({ files, clock, events, node }, stop.signal);
  const counts: number[] = [];
  for (const text of ['nameserver\n', 'nameserver\n', 'nameserver 192.0.2.1\n', 'nameserver\n']) {
    await write(text);
    await clock.advance(120_000);
    counts.push(events.nodeEvents.length);
  }
  assert.deepEqual(counts, [1, 1, 1, 2]);
  assert.deepEqual(events.nodeEvents[0], {
    type: 'Warning',
    reason: 'CheckLimitsForResolvConf',
    message: 'nameserver list is empty ',
  });
  stop.abort();
  await running;
});
