/** Formats of lines: container logs, the mount table, the API server's watch stream. */
import assert from 'node:assert/strict';
import { JsonLines } from '../../../src/adapters/kube/client/json-lines.ts';
import { detectFormat, parseCri, toFixedTime, toMs } from '../../../src/adapters/linux/logs/log-entry.ts';
import {
  findCoveringMount,
  findMountsBelow,
  findOtherMounts,
  parseMountinfo,
} from '../../../src/adapters/linux/mountinfo.ts';
import { type FuzzTarget, fill } from '../fuzz-target.ts';

export const logEntry: FuzzTarget = {
  name: 'log-entry',
  seeds: [
    '2026-01-02T03:04:05.123456789Z stdout F hello',
    '2026-01-02T03:04:05Z stderr P:x part',
    '{"log":"a\\n","stream":"stdout","time":"2026-01-02T03:04:05.1+02:00"}',
    '2026-01-02T03:04:05-07:00 stdout F',
  ],
  words: [
    'stdout',
    'stderr',
    ' F ',
    ' P ',
    ' ',
    ':',
    'Z',
    '+00:00',
    '.',
    '"',
    '\\u0000',
    '2026-13-45T99:99:99Z',
  ],
  check(input) {
    const parse = detectFormat(input);
    const entry = parse?.(input);
    assert.equal(entry === undefined, parse === undefined);
    if (entry === undefined) return;
    assert.ok(entry.stream === 'stdout' || entry.stream === 'stderr');
    assert.ok(Number.isFinite(toMs(entry.time)), entry.time);
    const fixed = toFixedTime(entry.time);
    assert.equal(toFixedTime(fixed), fixed);
    assert.match(fixed, /\.\d{9}(?:Z|[+-]\d\d:\d\d)$/);
    const line = Buffer.from(`${entry.time} ${entry.stream} ${entry.partial ? 'P' : 'F'} `);
    assert.deepEqual(parseCri(Buffer.concat([line, entry.text])), {
      ...entry,
      text: Buffer.from(entry.text),
    });
  },
  large: {
    text: (size) => Buffer.from(`2026-01-02T03:04:05Z stdout F ${fill('x y', size)}`),
    time: (size) => Buffer.from(`2026-01-02T03:04:05.${fill('1', size)}Z stdout F x`),
    tags: (size) => Buffer.from(`2026-01-02T03:04:05Z stdout ${fill('F:', size)} x`),
    json: (size) => Buffer.from(`{${fill('"a":[', size)}`),
    'spaces alone': (size) => Buffer.from(fill(' ', size)),
  },
};

const MOUNTS = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /proc rw - proc proc rw
40 22 0:30 / /var/lib/kubelet/pods/a\\040b rw shared:5 master:1 - tmpfs tmpfs rw,size=1k
41 40 0:30 /x /var/lib/kubelet/pods/a\\040b/c rw - tmpfs tmpfs rw
`;

export const mountinfo: FuzzTarget = {
  name: 'mountinfo',
  seeds: [MOUNTS, '1 1 0:1 / / rw - x y z', '2 3 0:1 / /a rw - x y z\n3 2 0:1 / /a/b rw - x y z\n'],
  words: [' - ', 'shared:1', '\\040', '\\134', '\\777', '/', '\n', ' ', '22', '40', '41', '/var/lib/kubelet'],
  check(input) {
    const text = input.toString();
    const mounts = parseMountinfo(text);
    assert.ok(mounts.length <= text.split('\n').length);
    const paths = new Set(mounts.map(({ path }) => path));
    for (const path of ['/', '/var/lib/kubelet', mounts[0]?.path ?? '/x']) {
      const below = findMountsBelow(mounts, path);
      assert.deepEqual(below, below.toSorted());
      assert.ok(below.every((found) => paths.has(found)));
      const covering = findCoveringMount(mounts, path);
      assert.ok(covering === undefined || path.startsWith(covering.path), `${covering?.path} ${path}`);
      assert.ok(!findOtherMounts(text, path).includes(path));
    }
  },
  large: {
    mounts: (size) => Buffer.from(listMounts(size, (at) => [`${at + 2} 1`, `/m/${at}`])),
    'a chain of mounts': (size) => Buffer.from(listMounts(size, (at) => [`${at + 2} ${at + 1}`, `/m/${at}`])),
    // The kernel prints at most 4 KiB of a path.
    'deep paths': (size) => Buffer.from(fill(`1 1 0:1 / ${fill('/a', 1000)} rw - x y z\n`, size)),
    escapes: (size) => Buffer.from(`1 1 0:1 / /${fill('\\040', size)} rw - x y z`),
    fields: (size) => Buffer.from(`1 1 0:1 / /a rw ${fill('shared:1 ', size)}- x y z`),
  },
};

function listMounts(size: number, make: (at: number) => readonly [ids: string, path: string]): string {
  const count = Math.ceil(size / 32);
  return Array.from({ length: count }, (_, at) => {
    const [ids, path] = make(at);
    return `${ids} 0:1 / ${path} rw - x y z`;
  }).join('\n');
}

export const jsonLines: FuzzTarget = {
  name: 'json-lines',
  seeds: ['{"type":"ADDED","object":{"kind":"Pod"}}\n', '1\n2\n', '\n\n"é"\n', '{"a":'],
  words: ['\n', '{', '}', '"', '[', ']', 'null', '\\u12', 'é', '__proto__'],
  check(input) {
    const whole = readJson([input]);
    const cut = input.length >> 1;
    const inTwo = readJson([input.subarray(0, cut), input.subarray(cut)]);
    assert.deepEqual([inTwo.values.length, inTwo.failed], [whole.values.length, whole.failed]);
    // What is nested deeper than the comparison can follow is left to the parser.
    if (input.length < 5000) assert.deepEqual(inTwo.values, whole.values);
  },
  large: {
    'lines of one number': (size) => Buffer.from(fill('1\n', size)),
    'one line': (size) => Buffer.from(`"${fill('x', size)}"\n`),
    'no end': (size) => Buffer.from(fill('[', size)),
    brackets: (size) => Buffer.from(`${fill('[', size / 2)}${fill(']', size / 2)}\n`),
  },
};

function readJson(pieces: readonly Buffer[]): { readonly values: unknown[]; readonly failed: boolean } {
  const values: unknown[] = [];
  const lines = new JsonLines((value) => values.push(value));
  try {
    for (const piece of pieces) lines.push(piece);
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error));
    return { values, failed: true };
  }
  return { values, failed: false };
}
