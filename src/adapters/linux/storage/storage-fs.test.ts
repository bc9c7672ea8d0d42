import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { constants, type Dir } from 'node:fs';
import { mkdtemp, open as openPlainly, rm, stat as statPlainly, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chmod, Entries, lstat, open, opendir, stat } from './storage-fs.ts';

const { O_RDONLY, O_WRONLY, O_RDWR, O_NONBLOCK } = constants;

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'storage-fs-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test('file calls that hang leave threads for the rest of the agent', async (t) => {
  const directory = await temporaryDirectory(t);
  // Opening a pipe without a writer holds its thread, as a server that is gone does. More pipes than threads.
  const pipes = Array.from({ length: 8 }, (_, index) => join(directory, `pipe-${index}`));
  for (const pipe of pipes) execFileSync('mkfifo', [pipe]);
  const hanging = pipes.map((pipe) => open(pipe, O_RDONLY));
  assert.ok((await statPlainly(directory)).isDirectory(), 'answers although eight calls hang');
  for (const [index, pipe] of pipes.entries()) {
    await using _writer = await openWriter(pipe);
    await (await hanging[index])?.close();
  }
});

/** Succeeds as soon as the reader is there, which may still wait for its turn. */
async function openWriter(pipe: string): Promise<Awaited<ReturnType<typeof openPlainly>>> {
  for (;;) {
    try {
      return await openPlainly(pipe, O_WRONLY | O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
  }
}

test('calls, handles and directories answer as those of Node', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'a'), 'text');
  await chmod(join(directory, 'a'), 0o600);
  await using opened = await open(directory, O_RDONLY);
  assert.ok((await opened.stat()).isDirectory());
  assert.equal((await stat(`/proc/self/fd/${opened.fd}/a`)).mode & 0o777, 0o600);
  assert.deepEqual(await readNames(directory), ['a']);
  await assert.rejects(lstat(join(directory, 'none')), { code: 'ENOENT' });
  await using file = await open(join(directory, 'a'), O_RDONLY);
  assert.equal((await file.readFile()).toString(), 'text');
});

for (const count of [0, 1, 31, 32, 33, 64, 100]) {
  test(`a directory of ${count} is read to its end`, async (t) => {
    const directory = await temporaryDirectory(t);
    const names = Array.from({ length: count }, (_, index) => `${index}`);
    await Promise.all(names.map((name) => writeFile(join(directory, name), '')));
    assert.deepEqual((await readNames(directory)).toSorted(), names.toSorted());
  });
}

async function readNames(directory: string): Promise<string[]> {
  return readAll(await opendir(directory));
}

async function readAll(entries: Entries): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of entries) names.push(name);
  return names;
}

test('reading a directory ends at the limit although it cannot be closed yet', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answer = Promise.withResolvers<null>();
  // As Node's: closing waits for the read that is under way.
  const directory = { read: () => answer.promise, close: () => answer.promise };
  const place = { shown: '/storage', real: '/storage' };
  const reading = readAll(new Entries(directory as unknown as Dir, place));
  t.mock.timers.tick(30_000);
  const outcome = reading.then(String, (error: Error) => error.message);
  assert.match(await ofThisTurn(outcome), /^cannot list "\/storage": .* no answer within 30s$/);
  answer.resolve(null);
  await outcome;
});

test('closing a file does not wait for a call that was given up', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pipe = join(await temporaryDirectory(t), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const handle = await open(pipe, O_RDWR);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await (handle as unknown as EventEmitter).once('close', release);
  const reading = handle.read(Buffer.alloc(1), 0, 1, null);
  t.mock.timers.tick(30_000);
  await assert.rejects(reading, /no answer within 30s/);
  const closing = handle.close().then(() => 'closed');
  const outcome = await ofThisTurn(closing);
  await using writer = await openPlainly(pipe, O_WRONLY | O_NONBLOCK);
  await writer.write('x');
  await closing;
  await released;
  assert.equal(outcome, 'closed');
});

/** What it resolves to without an event from outside. */
function ofThisTurn(one: Promise<string>): Promise<string> {
  return Promise.race([one, new Promise<string>((resolve) => setImmediate(resolve, 'waits'))]);
}
