/** Container logs on real containerd: rotated in time, and after a kill between the two steps of a rotation. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type TestNode, withNode } from './node.ts';
import { findLogs } from './read-logs.ts';
import { scriptPod } from './sample-pods.ts';

const MAX_BYTES = 10 * 1024 * 1024;
const CONFIG = { containerLogMaxSize: '10Mi', containerLogMaxFiles: 3, containerLogMonitorInterval: '3s' };

/** As it is before it is compressed. */
const ROTATED = /^0\.log\.[\d.-]+$/;
const FILES = 6;
/** A stretch in which the machine does not let the kubelet run spoils a file or two; a kubelet that is late, most. */
const SPOILT_FILES = 2;
/** Also those: a file that is never rotated is no matter of the machine. */
const MAX_SPOILT = 6;

async function readSizes(directory: string): Promise<Map<string, number>> {
  const names = (await readdir(directory)).sort();
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(directory, name))).size));
  return new Map(names.map((name, index) => [name, sizes[index] ?? 0]));
}

describe('container logs', () => {
  it('of a container that writes 10 MB/s stay within 110 % of their size', () =>
    withNode({ config: CONFIG }, async (node) => {
      const burst = 'dd if=/dev/zero bs=1000 count=1000 2>/dev/null | tr "\\000" x | fold -w 1000';
      const script = `trap 'exit 0' TERM; while true; do ${burst}; sleep 0.1; done`;
      await node.writeManifest('chatty.yaml', scriptPod('chatty', script));
      await node.waitReady('chatty', 40_000);
      const directory = await findLogs(node, 'chatty');
      const seen = new Map<string, number>();
      const names = await node.waitFor(
        'some rotated files, the oldest compressed',
        async () => {
          const sizes = await readSizes(directory).catch(() => new Map<string, number>());
          for (const [name, size] of sizes) if (ROTATED.test(name)) seen.set(name, size);
          const isCompressed = [...sizes.keys()].some((name) => name.endsWith('.gz'));
          return seen.size >= FILES && sizes.size === 3 && isCompressed ? [...sizes.keys()] : undefined;
        },
        120_000,
      );
      for (const name of names) assert.match(name, /^0\.log(?:\.\d{8}-\d{6}(?:\.\d{3})?(?:\.gz)?)?$/);
      const shares = [...seen.values()].map((size) => size / MAX_BYTES);
      const spoilt = shares.filter((share) => share > 1.1);
      const report = `files of ${shares.map((share) => share.toFixed(2)).join(' ')}`;
      assert.ok(spoilt.length <= SPOILT_FILES, report);
      assert.ok(Math.max(...shares) <= MAX_SPOILT, report);
    }));

  it('come back when the kubelet was killed between rename and reopen', () =>
    withNode({ config: CONFIG }, async (node) => {
      const script = "trap 'exit 0' TERM; while true; do echo tick; sleep 0.2; done";
      await node.writeManifest('ticker.yaml', scriptPod('ticker', script));
      await node.waitReady('ticker', 40_000);
      const directory = await findLogs(node, 'ticker');
      await node.kubelet.kill9();
      await rename(join(directory, '0.log'), join(directory, '0.log.20260102-030405'));
      await node.startAgain();
      await node.waitFor(
        'the log to be written again',
        async () => ((await readSizes(directory)).get('0.log') ?? 0) > 0 || undefined,
        30_000,
      );
    }));

  it('are shown whole across many rotations: followed, from the start and from the end', () => {
    const config = { ...CONFIG, containerLogMaxSize: '1Mi', containerLogMaxFiles: 200 };
    return withNode({ config }, async (node) => {
      const lines = 30_000;
      const text = 'x'.repeat(990);
      const write = `i=0; while [ $i -lt ${lines} ]; do echo "$i ${text}"; i=$((i+1)); done`;
      const script = `trap 'exit 0' TERM; sleep 3; ${write}; while true; do sleep 0.2; done`;
      await node.writeManifest('counting.yaml', scriptPod('counting', script));
      await node.waitReady('counting', 40_000);
      const directory = await findLogs(node, 'counting');
      const followed = await follow(node, 'counting', lines);
      const expected = Array.from({ length: lines }, (_, index) => index);
      assert.deepEqual(followed, expected, 'a follower gets each line once, in order');
      const files = await readdir(directory);
      assert.ok(files.length > 4 && files.some((name) => name.endsWith('.gz')), files.join(' '));
      assert.deepEqual(await read(node, 'counting'), expected);
      // A line that the runtime cut in two at a rotation counts as two, as it does for upstream; the rest of one may come first.
      const tail = await read(node, 'counting', '--tail=12345');
      const whole = Number.isNaN(tail[0]) ? tail.slice(1) : tail;
      assert.deepEqual(whole, expected.slice(-whole.length));
      assert.ok(whole.length <= 12_345 && whole.length >= 12_345 - files.length, `${whole.length} lines`);
    });
  });
});

const KUBELET = join(import.meta.dirname, '..', '..', 'bin', 'kubelet');

function toNumbers(text: string): number[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => Number(line.slice(0, line.indexOf(' '))));
}

/** The numbers of the lines that `logs` shows. */
async function read(node: TestNode, pod: string, ...flags: string[]): Promise<number[]> {
  const args = ['logs', pod, `--root-dir=${node.kubelet.rootDir}`, ...flags];
  const { stdout } = await promisify(execFile)(KUBELET, args, { maxBuffer: 256 * 1024 * 1024 });
  return toNumbers(stdout);
}

/** The numbers of the lines that `logs -f` shows, until there are so many. */
async function follow(node: TestNode, pod: string, lines: number): Promise<number[]> {
  const child = spawn(KUBELET, ['logs', '-f', pod, `--root-dir=${node.kubelet.rootDir}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const found: number[] = [];
    for await (const line of createInterface(child.stdout)) {
      found.push(...toNumbers(line));
      if (found.length >= lines) break;
    }
    return found;
  } finally {
    child.kill('SIGKILL');
  }
}
