/**
 * Runs many test files in one process, each as a suite of its own, so that its
 * hooks are its own too and a failure names its file. The files are given in
 * `TEST_FILES`, one per line. They are loaded at the start and run one after
 * the other; what a file leaves behind, the next ones meet.
 *
 * The test runner follows every promise to know which test an error without an
 * owner came from, which doubles what asynchronous code costs. It needs that
 * to find the suite of a test while files are loaded; before the first test it
 * is switched off. An error without an owner still fails the run, with its
 * stack. This needs a start without `--test`, which would follow them at once.
 */
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const files = (process.env['TEST_FILES'] ?? '').split('\n').filter((file) => file !== '');
if (files.length === 0) throw new Error('TEST_FILES has no files');

type Hook = ReturnType<typeof createHook>;
const prototype = Object.getPrototypeOf(createHook({})) as Hook;
const { enable } = prototype;
const followers: Hook[] = [];
prototype.enable = function (this: Hook): Hook {
  followers.push(this);
  return enable.call(this);
};
const { it, describe } = await import('node:test');

function reportStray(kind: string, error: unknown): void {
  writeSync(2, `${kind}: ${inspect(error)}\n`);
}

// The first suite runs when all others are built.
describe('test files', () => {
  it('are loaded, and their promises are no longer followed', () => {
    prototype.enable = enable;
    assert.equal(followers.length, 1);
    for (const follower of followers) follower.disable();
    process.prependListener('uncaughtException', (error, kind) => reportStray(kind, error));
    process.prependListener('unhandledRejection', (reason) => reportStray('unhandledRejection', reason));
  });
});
for (const file of files) describe(file, async () => void (await import(pathToFileURL(resolve(file)).href)));
