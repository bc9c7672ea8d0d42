/** The files of one container's log on a node, rotated and compressed ones too, and the lines in them. */
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { TestNode } from './node.ts';

export interface LogFile {
  readonly name: string;
  /** Before compression. */
  readonly bytes: number;
  /** What the container wrote; `isPart` where the rest of the line is in the next entry. */
  readonly entries: readonly { readonly text: string; readonly isPart: boolean }[];
}

/** The directory of the logs of a pod's container `main`. */
export async function findLogs(node: TestNode, pod: string): Promise<string> {
  const uid = (await node.pod(pod))?.metadata.uid ?? '';
  const name = (await readdir(node.kubelet.podLogsDir)).find((one) => one.endsWith(`_${uid}`)) ?? '';
  return join(node.kubelet.podLogsDir, name, 'main');
}

async function readLog(directory: string, name: string): Promise<LogFile> {
  const file = createReadStream(join(directory, name));
  const entries: { text: string; isPart: boolean }[] = [];
  let bytes = 0;
  for await (const line of createInterface(name.endsWith('.gz') ? file.pipe(createGunzip()) : file)) {
    bytes += line.length + 1;
    const [head = '', part = ''] = /^\S+ stdout ([PF]) /.exec(line) ?? [];
    entries.push({ text: line.slice(head.length), isPart: part === 'P' });
  }
  return { name: name.replace(/\.gz$/, ''), bytes, entries };
}

/** Oldest first. Undefined while a file is being compressed: it is there twice then. */
export async function readLogs(directory: string): Promise<LogFile[] | undefined> {
  const names = (await readdir(directory)).sort();
  const isUnderWay = names.some((name) => name.endsWith('.tmp') || names.includes(`${name}.gz`));
  if (isUnderWay) return undefined;
  const files = await Promise.all(names.map((name) => readLog(directory, name)));
  const [current, ...rotated] = files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return current === undefined ? undefined : [...rotated, current];
}

/** The runtime cuts a line in two where it goes on in a new file. */
export function toLines(files: readonly LogFile[]): string[] {
  const lines: string[] = [];
  let begun = '';
  for (const { text, isPart } of files.flatMap(({ entries }) => entries)) {
    begun += text;
    if (isPart) continue;
    lines.push(begun);
    begun = '';
  }
  return lines;
}
