import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { textLogger } from '../../../test/fakes/text-logger.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { MAX_FILE_BYTES, truncateOversizedFiles } from './truncate-oversized-files.ts';

const POD = '/var/lib/kubelet/pods/uid-1';

describe('CVE-2020-8557: hosts file and termination log growth', () => {
  it('truncateOversizedFiles cuts what containers wrote too much into, and leaves the rest', async () => {
    const files = new FakeFiles();
    const clock = new FakeClock();
    const lines: string[] = [];
    await files.makeDirectory(`${POD}/containers/web`, 0o750);
    const flood = 'x'.repeat(MAX_FILE_BYTES + 1);
    await files.writeFile(`${POD}/etc-hosts`, flood, 0o644);
    await files.writeFile(`${POD}/containers/web/1`, flood, 0o666);
    await files.writeFile(`${POD}/containers/web/2`, 'last words', 0o666);
    const stop = new AbortController();
    const running = truncateOversizedFiles(
      {
        files,
        clock,
        logger: textLogger((line) => void lines.push(line)),
        node: { rootDir: '/var/lib/kubelet' },
        readPodUids: () => [toPodUid('uid-1'), toPodUid('gone')],
      },
      stop.signal,
    );
    await clock.advance(30_000);
    const size = async (path: string) => (await files.readFile(`${POD}/${path}`))?.length;
    assert.equal(await size('etc-hosts'), MAX_FILE_BYTES);
    assert.equal(await size('containers/web/1'), MAX_FILE_BYTES);
    assert.equal(await size('containers/web/2'), 10);
    assert.equal(lines.length, 2);
    stop.abort();
    await running;
  });
});
