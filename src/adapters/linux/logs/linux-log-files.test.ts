import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { hasCode } from '../../../base/errors.ts';
import { LinuxLogFiles } from './linux-log-files.ts';

const { signal } = new AbortController();
let root: string;
let directory: string;
let log: string;
let files: LinuxLogFiles;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'log-files-'));
  directory = join(root, 'ns_p_uid', 'c');
  mkdirSync(directory, { recursive: true });
  log = join(directory, '0.log');
  files = new LinuxLogFiles(root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('LinuxLogFiles', () => {
  it('reads sizes; a missing file has none', async () => {
    assert.equal(await files.size(log), undefined);
    writeFileSync(log, 'four');
    assert.equal(await files.size(log), 4);
  });

  it('reports writes to the log, also after a rotation, until it is disposed', async () => {
    let wake: () => void = () => {};
    const written = (): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve;
      });
    writeFileSync(log, 'a');
    const watch = await files.watch(log, { onWrite: () => wake(), onEnd: assert.fail });
    assert.ok(watch !== undefined);
    // An unrelated file comes first; its event would resolve this too early if it counted.
    const names: string[] = [];
    const first = written().then(() => names.push(readFileSync(log, 'utf8')));
    writeFileSync(join(directory, '1.log'), 'x');
    appendFileSync(log, 'b');
    await first;
    assert.deepEqual(names, ['ab']);
    await files.rename(log, '0.log', '0.log.1');
    const again = written();
    writeFileSync(log, 'c');
    await again;
    watch[Symbol.dispose]();
  });

  it('watches nothing behind a link, and nothing that is not there', async () => {
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(root, 'ns_p_uid', 'link'));
    const listener = { onWrite: () => {}, onEnd: () => {} };
    assert.equal(await files.watch(join(root, 'ns_p_uid', 'link', '0.log'), listener), undefined);
    assert.equal(await files.watch(join(root, 'ns_p_uid', 'none', '0.log'), listener), undefined);
  });

  for (const [what, change] of [
    ['removed', () => rmSync(directory, { recursive: true })],
    ['moved', () => renameSync(directory, `${directory}-old`)],
  ] as const)
    it(`reports that the watch has died when the directory is ${what}`, async () => {
      writeFileSync(log, 'a');
      const { promise, resolve } = Promise.withResolvers<void>();
      using watch = await files.watch(log, { onWrite: () => {}, onEnd: resolve });
      assert.ok(watch !== undefined);
      change();
      await promise;
    });

  it('lists rotated regular files only', async () => {
    for (const name of ['0.log', '0.log.1', '0.log.2.gz', '10.log.1'])
      writeFileSync(join(directory, name), '');
    symlinkSync('/etc/shadow', join(directory, '0.log.3'));
    mkdirSync(join(directory, '0.log.4'));
    execFileSync('mkfifo', [join(directory, '0.log.5')]);
    assert.deepEqual((await files.listRotated(log)).sort(), ['0.log.1', '0.log.2.gz']);
  });

  it('compresses with the same mode and leaves nothing else', async () => {
    const text = 'a line of text\n'.repeat(100_000);
    writeFileSync(join(directory, '0.log.1'), text);
    chmodSync(join(directory, '0.log.1'), 0o640);
    await files.compress(log, '0.log.1', signal);
    assert.deepEqual(readdirSync(directory), ['0.log.1.gz']);
    assert.equal(gunzipSync(readFileSync(join(directory, '0.log.1.gz'))).toString(), text);
    assert.equal(statSync(join(directory, '0.log.1.gz')).mode & 0o777, 0o640);
  });

  it('leaves the file as it was when compressing is cut short', async () => {
    writeFileSync(join(directory, '0.log.1'), 'x'.repeat(10_000_000));
    await assert.rejects(files.compress(log, '0.log.1', AbortSignal.abort()));
    assert.deepEqual(readdirSync(directory), ['0.log.1']);
  });

  it('never replaces a file by renaming', async () => {
    for (const name of ['0.log', '0.log.1']) writeFileSync(join(directory, name), name);
    await assert.rejects(files.rename(log, '0.log.1', '0.log'), (error) => hasCode(error, 'already-exists'));
    await files.rename(log, '0.log', '0.log.2');
    assert.deepEqual(readdirSync(directory).sort(), ['0.log.1', '0.log.2']);
  });

  it('does not follow a link in place of the log, of a rotated file or of the directory', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    const target = join(outside, 'target');
    writeFileSync(target, 'precious');
    try {
      symlinkSync(target, log);
      await assert.rejects(files.size(log), (error) => hasCode(error, 'failed-precondition'));
      symlinkSync(target, join(directory, '0.log.1'));
      await assert.rejects(files.compress(log, '0.log.1', signal));
      // The unfinished file of a compression led elsewhere: the link goes, not what it names.
      writeFileSync(join(directory, '0.log.2'), 'text');
      symlinkSync(target, join(directory, '0.log.2.tmp'));
      await files.compress(log, '0.log.2', signal);
      symlinkSync(outside, join(root, 'ns_p_uid', 'd'));
      const elsewhere = join(root, 'ns_p_uid', 'd', 'target');
      await assert.rejects(files.rename(elsewhere, 'target', 'moved'));
      await assert.rejects(files.remove(elsewhere, 'target'));
      assert.ok(existsSync(target));
      assert.equal(readFileSync(target, 'utf8'), 'precious');
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it('does not wait for a pipe', async () => {
    execFileSync('mkfifo', [join(directory, '0.log.1')]);
    await assert.rejects(files.compress(log, '0.log.1', signal), (error) =>
      hasCode(error, 'failed-precondition'),
    );
  });

  it('touches nothing outside of the root', async () => {
    await assert.rejects(files.listRotated('/etc/passwd'), (error) => hasCode(error, 'permission-denied'));
  });
});
