import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { hasCode } from '../../../base/errors.ts';
import { NodeLogFiles } from './node-log-files.ts';

let base: string;
let root: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'node-logs-'));
  root = join(base, 'log');
  mkdirSync(join(root, 'pods'), { recursive: true });
  writeFileSync(join(root, 'syslog'), 'one\ntwo\n');
  writeFileSync(join(base, 'secret'), 'secret');
});
afterEach(() => rmSync(base, { recursive: true }));

const signal = new AbortController().signal;

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += Buffer.from(piece).toString();
  return text;
}

describe('NodeLogFiles', () => {
  it('lists directories and reads files, also by links that stay inside, and leaves nothing open', async () => {
    symlinkSync(join(root, 'syslog'), join(root, 'pods', 'link'));
    const logs = new NodeLogFiles(root);
    assert.deepEqual(await logs.open(''), { kind: 'directory', names: ['pods/', 'syslog'] });
    const open = (await readdir('/proc/self/fd')).length;
    for (const path of ['syslog', 'pods/link']) {
      const file = await logs.open(path);
      assert.ok(file.kind === 'file');
      assert.equal(file.sizeBytes, 8);
      assert.equal(await textOf(file.read(4, 7)), 'two');
    }
    assert.equal((await readdir('/proc/self/fd')).length, open);
  });

  it('reads a large file in pieces, in order', async () => {
    const text = Array.from({ length: 40_000 }, (_, line) => `line ${line}\n`).join('');
    writeFileSync(join(root, 'large'), text);
    const file = await new NodeLogFiles(root).open('large');
    assert.ok(file.kind === 'file');
    assert.equal(await textOf(file.read(0, file.sizeBytes)), text);
  });

  it('opens nothing outside, and nothing that is no file', async () => {
    symlinkSync(join(base, 'secret'), join(root, 'out'));
    symlinkSync(base, join(root, 'up'));
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const logs = new NodeLogFiles(root);
    for (const path of ['out', 'up/secret', '../secret', 'up'])
      await assert.rejects(logs.open(path), (error) => hasCode(error, 'permission-denied'));
    await assert.rejects(logs.open('pipe'), (error) => hasCode(error, 'failed-precondition'));
    await assert.rejects(logs.open('nothing'), (error) => hasCode(error, 'not-found'));
  });

  it('passes on what journalctl prints, errors included, and does without it', async () => {
    const program = join(base, 'journalctl');
    writeFileSync(program, '#!/bin/sh\necho "$@"\necho complaint >&2\nexit 1\n');
    chmodSync(program, 0o755);
    const logs = new NodeLogFiles(root, program);
    const text = await textOf(logs.readJournal(['--unit=a', '--boot'], signal));
    assert.match(text, /^--unit=a --boot$/m);
    assert.match(text, /^complaint$/m);
    assert.match(await logs.readUnits(signal), /^--field _SYSTEMD_UNIT$/m);
    const none = new NodeLogFiles(root, join(base, 'none'));
    assert.equal(await none.readUnits(signal), '');
    await assert.rejects(
      textOf(none.readJournal([], signal)),
      /^AgentError: cannot start .*none": no such file/,
    );
  });

  it('ends journalctl when it is no longer wanted', async () => {
    const program = join(base, 'journalctl');
    writeFileSync(program, '#!/bin/sh\necho begun\nexec sleep 600\n');
    chmodSync(program, 0o755);
    const stop = new AbortController();
    let seen = '';
    for await (const piece of new NodeLogFiles(root, program).readJournal([], stop.signal)) {
      seen += Buffer.from(piece).toString();
      stop.abort();
    }
    assert.equal(seen, 'begun\n');
  });
});
