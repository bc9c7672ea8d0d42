/**
 * Runs many test files in one process, each as a suite of its own, so that its
 * hooks are its own too and a failure names its file. The files are given in
 * `TEST_FILES`, one per line. They are loaded at the start and run one after
 * the other; what a file leaves behind, the next ones meet.
 */
import { resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';

const files = (process.env['TEST_FILES'] ?? '').split('\n').filter((file) => file !== '');
if (files.length === 0) throw new Error('TEST_FILES has no files');

for (const file of files) describe(file, async () => void (await import(pathToFileURL(resolve(file)).href)));
