import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { replacementFor } from './end-process.ts';

const END_PROCESS = fileURLToPath(new URL('./end-process.ts', import.meta.url));
const STORAGE = fileURLToPath(new URL('../../adapters/linux/storage/storage-fs.ts', import.meta.url));

/** The exit code of a process that runs this text; kills it when it does not end. */
function run(text: string, t: TestContext): Promise<number | string | null> {
  const { promise, resolve } = Promise.withResolvers<number | string | null>();
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', text];
  const child = execFile(process.execPath, args, { signal: t.signal }, () => {});
  child.once('exit', (code, signal) => resolve(code ?? signal));
  return promise;
}

test('endProcess ends a process with a file call that never answers', { timeout: 60_000 }, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'end-process-'));
  t.after(() => rm(directory, { recursive: true }));
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Real time, because the thread is real: it is in the call a moment after the call counts as under way.
  const text = `
    import { endProcess } from ${JSON.stringify(END_PROCESS)};
    import { open, storageCalls } from ${JSON.stringify(STORAGE)};
    // Opening a pipe without a writer holds its thread, as a server that is gone does.
    open(${JSON.stringify(pipe)}, 'r').catch(() => {});
    const look = () => (storageCalls.underWay > 0 ? setTimeout(() => endProcess(7), 100) : setTimeout(look, 10));
    look();`;
  assert.equal(await run(text, t), 7);
});

test('endProcess ends any other with its code', { timeout: 60_000 }, async (t) => {
  const text = `import { endProcess } from ${JSON.stringify(END_PROCESS)}; endProcess(3);`;
  assert.equal(await run(text, t), 3);
});

test('endProcess replaces a kubelet that is one file with its Node by programs of the system', () => {
  for (const [code, ended] of [
    [0, 0],
    [1, 1],
  ] as const) {
    const [program, ...args] = replacementFor(code, true);
    assert.equal(spawnSync(program, args).status, ended);
  }
});
