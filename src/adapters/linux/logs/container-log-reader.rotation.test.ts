import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import type { LogQuery } from '../../../ports/runtime/container-logs.ts';
import { ContainerLogReader } from './container-log-reader.ts';

const ALL: LogQuery = { follow: false, timestamps: false, stream: 'All' };
const entry = (text: number): string => `2026-01-02T03:04:05.00000000${text}Z stdout F ${text}\n`;

function setUp(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'log-rotation-'));
  t.after(() => rmSync(root, { recursive: true }));
  const path = join(root, 'ns_p_uid', 'c', '0.log');
  mkdirSync(dirname(path), { recursive: true });
  /** What the agent has open of it. */
  const listOpen = (): string[] =>
    readdirSync('/proc/self/fd')
      .map(readDescriptor)
      .filter((file) => file.startsWith(`${root}/`));
  return { path, listOpen, reader: new ContainerLogReader({ root, clock: new FakeClock() }) };
}

function readDescriptor(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
}

test('a client that leaves just after a rotation leaves no file open', async (t) => {
  const { path, listOpen, reader } = setUp(t);
  writeFileSync(path, entry(1));
  let text = '';
  const sink = {
    write: async (chunk: Uint8Array) => {
      if (text !== '' && chunk.length > 0) throw new Error('the client left');
      text += Buffer.from(chunk).toString();
    },
  };
  const isRunning = async (): Promise<boolean> => {
    appendFileSync(path, entry(2));
    renameSync(path, `${path}.20260102-030405`);
    writeFileSync(path, entry(3));
    return true;
  };
  const options = { signal: new AbortController().signal, isRunning };
  await assert.rejects(reader.read(path, { ...ALL, follow: true }, sink, options), /the client left/);
  assert.equal(text, '1\n');
  assert.deepEqual(listOpen(), []);
});

for (const query of [ALL, { ...ALL, tailLines: 5 }])
  test(`a file that is renamed while it is open is shown once, tail ${query.tailLines ?? 'of all'}`, async (t) => {
    const { path, listOpen, reader } = setUp(t);
    writeFileSync(`${path}.20260102-030404`, entry(1));
    writeFileSync(path, entry(2) + entry(3));
    let text = '';
    const sink = {
      write: async (chunk: Uint8Array) => {
        text += Buffer.from(chunk).toString();
      },
    };
    const options = { signal: new AbortController().signal, isRunning: async () => true };
    const reading = reader.read(path, query, sink, options);
    while (text === '' && !listOpen().includes(path)) await new Promise(setImmediate);
    assert.equal(text, '');
    // The runtime has not opened a new one yet.
    renameSync(path, `${path}.20260102-030405`);
    await reading;
    assert.equal(text, '1\n2\n3\n');
  });
