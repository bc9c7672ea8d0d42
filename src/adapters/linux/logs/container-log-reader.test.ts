import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
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
