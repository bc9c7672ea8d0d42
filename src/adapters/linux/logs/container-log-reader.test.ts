import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { hasCode } from '../../../base/errors.ts';
import type { LogQuery } from '../../../ports/runtime/container-logs.ts';
import { ContainerLogReader } from './container-log-reader.ts';

const clock = new FakeClock();
const T = '2026-01-02T03:04:05.5Z';
const entry = (text: string): string => `${T} stdout F ${text}\n`;
let root: string;
let path: string;
let reader: ContainerLogReader;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logs-'));
  mkdirSync(join(root, 'ns_p_uid', 'c'), { recursive: true });
  path = join(root, 'ns_p_uid', 'c', '0.log');
  reader = new ContainerLogReader({ root, clock });
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
  assert.equal(clock.pendingTimers, 0);
});

class Client {
  text = '';
  running = true;
  readonly #abort = new AbortController();
  #waiting: { wanted: string; resolve: () => void } | undefined;

  read(query: Partial<LogQuery> = {}, file = path): Promise<void> {
    const all: LogQuery = { follow: false, timestamps: false, stream: 'All', ...query };
    const isRunning = async (): Promise<boolean> => this.running;
    return reader.read(file, all, this, { signal: this.#abort.signal, isRunning });
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.text += Buffer.from(chunk).toString();
    if (this.#waiting !== undefined && this.text.includes(this.#waiting.wanted)) this.#waiting.resolve();
  }

  /** Waits for real events of the file system; only the loop's own pause is virtual. */
  until(wanted: string): Promise<void> {
    if (this.text.includes(wanted)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting = { wanted, resolve };
    });
  }

  leave(): void {
    this.#abort.abort();
  }
}

describe('ContainerLogReader', () => {
  it('reads the whole file, or its last lines', async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `line ${i} ${'x'.repeat(i % 90)}`);
    writeFileSync(path, lines.map(entry).join(''));
    for (const [tailLines, expected] of [
      [undefined, lines],
      [10_000, lines],
      [5000, lines],
      [3, lines.slice(-3)],
      [0, []],
      [2500, lines.slice(-2500)],
    ] as const) {
      const client = new Client();
      await client.read(tailLines === undefined ? {} : { tailLines });
      assert.equal(client.text, expected.map((line) => `${line}\n`).join(''));
    }
  });

  it('does not count a last line that has not ended', async () => {
    writeFileSync(path, `${entry('a')}${entry('b')}${T} stdout F c`);
    const client = new Client();
    await client.read({ tailLines: 1 });
    assert.equal(client.text, 'b\n');
  });

  it('follows, whole lines only, until the container has ended', async () => {
    writeFileSync(path, entry('a'));
    const client = new Client();
    const done = client.read({ follow: true });
    await client.until('a');
    appendFileSync(path, `${T} stdout F b`);
    appendFileSync(path, 'c\n');
    await client.until('bc\n');
    appendFileSync(path, entry('last'));
    client.running = false;
    appendFileSync(path, entry('words'));
    await done;
    assert.equal(client.text, 'a\nbc\nlast\nwords\n');
  });

  it('looks by itself when no event was heard', async () => {
    writeFileSync(path, entry('a'));
    const client = new Client();
    const done = client.read({ follow: true });
    await client.until('a');
    while (clock.pendingTimers === 0) await new Promise(setImmediate);
    client.running = false;
    await clock.advance(1000);
    await done;
  });

  it('goes on in the new file after a rotation, with what was written to the old one before', async () => {
    writeFileSync(path, entry('a'));
    const client = new Client();
    const done = client.read({ follow: true });
    await client.until('a');
    renameSync(path, `${path}.20260102-030405`);
    appendFileSync(`${path}.20260102-030405`, entry('late'));
    writeFileSync(path, entry('b'));
    await client.until('b');
    appendFileSync(path, entry('c'));
    await client.until('c');
    client.running = false;
    appendFileSync(path, entry('d'));
    await done;
    assert.equal(client.text, 'a\nlate\nb\nc\nd\n');
  });

  describe('with rotated files', () => {
    const stamp = (number: number): string => `${path}.20260102-03040${number}`;
    /** Each entry with a time of its own, as a runtime writes it. */
    const lines = (from: number, count: number): string =>
      Array.from(
        { length: count },
        (_, i) => `2026-01-02T03:04:${10 + from + i}.5Z stdout F ${from + i}\n`,
      ).join('');
    const shown = (from: number, count: number): string =>
      Array.from({ length: count }, (_, i) => `${from + i}\n`).join('');
    const compress = (file: string): void => {
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)));
      rmSync(file);
    };

    it('reads them all, the compressed ones too, or so many lines from the end', async () => {
      writeFileSync(stamp(1), lines(0, 5));
      compress(stamp(1));
      writeFileSync(stamp(2), lines(5, 5));
      writeFileSync(path, lines(10, 3));
      writeFileSync(`${stamp(2)}.tmp`, 'unfinished');
      writeFileSync(`${path}.mine`, lines(40, 1));
      for (const [tailLines, from] of [
        [undefined, 0],
        [100, 0],
        [13, 0],
        [12, 1],
        [8, 5],
        [4, 9],
        [3, 10],
        [2, 11],
      ] as const) {
        const client = new Client();
        await client.read(tailLines === undefined ? {} : { tailLines });
        assert.equal(client.text, shown(from, 13 - from), `tail ${tailLines}`);
      }
    });

    it('reads those that can hold something since a time', async () => {
      writeFileSync(stamp(1), lines(0, 5));
      writeFileSync(stamp(2), lines(5, 5));
      writeFileSync(path, lines(10, 3));
      const sinceMs = Date.parse('2026-01-02T03:04:18Z');
      utimesSync(stamp(1), new Date(sinceMs), new Date(sinceMs - 1));
      const client = new Client();
      await client.read({ sinceMs });
      assert.equal(client.text, shown(8, 5));
    });

    it('takes a damaged one for what can be read of it', async () => {
      writeFileSync(stamp(1), lines(0, 5));
      writeFileSync(`${stamp(2)}.gz`, 'no archive');
      writeFileSync(path, lines(10, 1));
      const client = new Client();
      await client.read({});
      assert.equal(client.text, `${shown(0, 5)}10\n`);
    });

    it('leaves out no file when several rotations happen between two looks', async () => {
      writeFileSync(stamp(0), lines(0, 1));
      writeFileSync(path, lines(1, 2));
      const client = new Client();
      const done = client.read({ follow: true });
      await client.until('2\n');
      // All at once: the reader looks only afterwards.
      appendFileSync(path, lines(3, 1));
      renameSync(path, stamp(1));
      writeFileSync(path, lines(4, 2));
      compress(stamp(1));
      renameSync(path, stamp(2));
      writeFileSync(path, lines(6, 2));
      renameSync(path, stamp(3));
      compress(stamp(2));
      writeFileSync(path, lines(8, 1));
      await client.until('8\n');
      renameSync(path, stamp(4));
      writeFileSync(path, lines(9, 1));
      client.running = false;
      await done;
      assert.equal(client.text, shown(0, 10));
    });

    it('follows from the tail, with lines of a rotated file', async () => {
      writeFileSync(stamp(1), lines(0, 3));
      writeFileSync(path, lines(3, 1));
      const client = new Client();
      const done = client.read({ follow: true, tailLines: 2 });
      await client.until('3\n');
      renameSync(path, stamp(2));
      rmSync(stamp(1));
      writeFileSync(path, lines(4, 1));
      await client.until('4\n');
      client.running = false;
      appendFileSync(path, lines(5, 1));
      await done;
      assert.equal(client.text, shown(2, 4));
    });
  });

  it('starts over when the file was truncated', async () => {
    writeFileSync(path, entry('aaaaaaaaaaaa'));
    const client = new Client();
    const done = client.read({ follow: true });
    await client.until('a\n');
    truncateSync(path, 0);
    appendFileSync(path, entry('b'));
    await client.until('b');
    client.running = false;
    appendFileSync(path, entry('c'));
    await done;
    assert.equal(client.text, 'aaaaaaaaaaaa\nb\nc\n');
  });

  it('reads no more than the client takes', async () => {
    writeFileSync(path, Array.from({ length: 20_000 }, (_, i) => entry(`line ${i}`)).join(''));
    let blocks = 0;
    let release = Promise.withResolvers<void>();
    const all: LogQuery = { follow: false, timestamps: false, stream: 'All' };
    const sink = {
      write: () => {
        blocks++;
        return release.promise;
      },
    };
    const options = { signal: new AbortController().signal, isRunning: async () => false };
    const done = reader.read(path, all, sink, options);
    while (blocks === 0) await new Promise(setImmediate);
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    assert.equal(blocks, 1);
    release.resolve();
    release = Promise.withResolvers();
    release.resolve();
    await done;
    assert.ok(blocks > 5);
  });

  it('ends when the client leaves, with every file closed', async () => {
    writeFileSync(path, entry('a'));
    const before = (await readdir('/proc/self/fd')).length;
    const client = new Client();
    const done = client.read({ follow: true });
    await client.until('a');
    client.leave();
    await done;
    assert.equal((await readdir('/proc/self/fd')).length, before);
  });

  it('writable hostPath log symlink: follows no link and leaves the root by no way', async () => {
    const secret = mkdtempSync(join(tmpdir(), 'secret-'));
    writeFileSync(join(secret, '0.log'), entry('secret'));
    symlinkSync(join(secret, '0.log'), path);
    symlinkSync(secret, join(root, 'ns_p_uid', 'linked'));
    mkdirSync(join(root, 'ns_p_uid', 'c', 'directory'));
    for (const file of [
      path,
      join(root, 'ns_p_uid', 'linked', '0.log'),
      `${root}/../${secret.split('/').at(-1)}/0.log`,
      join(secret, '0.log'),
      `${root}x/0.log`,
      join(root, 'ns_p_uid', 'c', 'directory'),
      '',
    ]) {
      const client = new Client();
      await assert.rejects(client.read({}, file), /^AgentError: cannot open/);
      assert.equal(client.text, '');
    }
    rmSync(secret, { recursive: true });
  });

  it('says that there is no file', async () => {
    await assert.rejects(new Client().read(), (error) => hasCode(error, 'not-found'));
  });
});
