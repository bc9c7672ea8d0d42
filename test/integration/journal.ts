/**
 * A journal that outlives the pods which write it: a directory of the host,
 * shown to containers at `/journal`. The order of its lines is the order in
 * which things happened, whatever the clocks and the machine's load say.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestNode } from './node.ts';

export const journalMount = { volumeMounts: [{ name: 'journal', mountPath: '/journal' }] };

/** The volume for a pod's spec; makes the directory. */
export async function journalVolume(node: TestNode): Promise<object> {
  const path = join(node.directory, 'journal');
  await mkdir(path, { recursive: true });
  return { name: 'journal', hostPath: { path, type: 'Directory' } };
}

export async function readJournal(node: TestNode): Promise<string[]> {
  const text = await readFile(join(node.directory, 'journal', 'log'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

/** A shell command that adds a line. */
export const write = (line: string): string => `echo "${line}" >>/journal/log`;

/** A shell script that records its start, runs until it is asked to end, and records that. */
export const chronicle = (name: string): readonly string[] => [
  'sh',
  '-c',
  `trap '${write(`end ${name}`)}; exit 0' TERM; ${write(`start ${name}`)}; sleep 3600 & wait $!`,
];

/** Fails unless all lines are in the journal, in this order; others may stand between them. */
export function assertOrder(journal: readonly string[], ...lines: readonly string[]): void {
  let from = 0;
  for (const line of lines) {
    const at = journal.indexOf(line, from);
    assert.ok(at >= 0, `no "${line}" after line ${from} of the journal: ${JSON.stringify(journal)}`);
    from = at + 1;
  }
}
