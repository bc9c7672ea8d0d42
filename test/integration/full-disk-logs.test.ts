/** Logs and checkpoints on a disk that another program has filled to the last byte, and after there is room again. */
import assert from 'node:assert/strict';
import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fillDisk, makeLoopDisk } from './loop-disk.ts';
import { type TestNode, withNode } from './node.ts';
import { findLogs, readLogs, toLines } from './read-logs.ts';
import { container, samplePod } from './sample-pods.ts';

const MIB = 1024 * 1024;
const CONFIG = {
  containerLogMaxSize: '1Mi',
  containerLogMaxFiles: 50,
  containerLogMonitorInterval: '3s',
  // Nothing that the kubelet could evict has used the disk.
  evictionHard: { 'nodefs.available': '0%' },
};
const LINES = 3_000;

/** Writes 3,000 lines of a kilobyte at each sign `a`, `b`, `c`; ready once there is a sign for it. */
function chattyPod(signs: string): ReturnType<typeof samplePod> {
  const print = `for (n = 0; n < ${LINES}; n++) printf "%s %06d %s\\n", phase, n, pad`;
  const write = `awk -v phase=$phase -v pad=${'x'.repeat(990)} 'BEGIN { ${print} }'`;
  const phase = `until [ -e /signs/$phase ]; do sleep 0.1; done; ${write}; touch /signs/$phase.done`;
  const script = `trap 'exit 0' TERM; for phase in a b c; do ${phase}; done; while true; do sleep 0.2; done`;
  const readinessProbe = { exec: { command: ['test', '-e', '/signs/ready'] }, periodSeconds: 1 };
  const volumeMounts = [{ name: 'signs', mountPath: '/signs' }];
  return samplePod('chatty', {
    containers: [container('main', ['sh', '-c', script], { volumeMounts, readinessProbe })],
    volumes: [{ name: 'signs', hostPath: { path: signs } }],
  });
}

async function runPhase(node: TestNode, signs: string, phase: string): Promise<void> {
  await writeFile(join(signs, phase), '');
  await node.waitFor(
    `the end of phase ${phase}`,
    () => access(join(signs, `${phase}.done`)).then(() => true),
    60_000,
  );
}

/** The lines in all files once there are `count` of the phase. */
function readLines(node: TestNode, directory: string, phase: string, count: number): Promise<string[]> {
  return node.waitFor(
    `the lines of phase ${phase}`,
    async () => {
      const lines = toLines((await readLogs(directory)) ?? []);
      return lines.filter((line) => line.startsWith(`${phase} `)).length >= count ? lines : undefined;
    },
    60_000,
  );
}

describe('on a full disk', () => {
  it('rotation keeps every line that was written and rests; what was refused is saved when there is room', async () => {
    await using disk = await makeLoopDisk({ bytes: 128 * MIB });
    await withNode({ config: CONFIG, dataDirectory: disk.path }, async (node) => {
      const signs = join(node.directory, 'signs');
      await mkdir(signs);
      await node.writeManifest('chatty.yaml', chattyPod(signs));
      const rotations = (): number => node.logs.filter(({ msg }) => msg === 'container log rotated').length;
      const id = await node.waitFor(
        'the container',
        async () => (await node.pod('chatty'))?.status.containerStatuses?.[0]?.containerID,
        40_000,
      );
      const directory = await findLogs(node, 'chatty');
      await runPhase(node, signs, 'a');
      const before = await readLines(node, directory, 'a', LINES);
      await fillDisk(disk.path);
      const rotated = rotations();
      await runPhase(node, signs, 'b');
      // What a rotation or a compression that failed has freed is taken again.
      for (let round = 0; round < 5; round++) {
        await fillDisk(disk.path);
        await delay(200);
      }
      await writeFile(join(signs, 'ready'), '');
      await node.waitForLine(
        'that a checkpoint is refused',
        ({ msg }) => msg === 'cannot write the probe checkpoint',
        60_000,
      );
      // At most the log that was begun and one that the runtime opened in its place: nothing grows any more.
      assert.ok(rotations() - rotated <= 3, `${rotations() - rotated} rotations on a full disk`);
      await rm(join(disk.path, 'filler'), { recursive: true });
      const saved = join(node.kubelet.rootDir, 'kubelet-ts', 'probe_state');
      const instance = id.replace('containerd://', '');
      await node.waitFor(
        'the checkpoint',
        async () => (await readFile(saved, 'utf8')).includes(instance),
        90_000,
      );
      await runPhase(node, signs, 'c');
      // The runtime goes on where a line was cut by the full disk: the first new one may stand behind it.
      const after = await readLines(node, directory, 'c', LINES - 1);
      const numbers = after.filter((line) => line.startsWith('c ')).map((line) => Number(line.slice(2, 8)));
      const missing = Array.from({ length: LINES }, (_, index) => index).filter(
        (number) => !numbers.includes(number),
      );
      assert.ok(missing.length === 0 || missing.join() === '0', `lines lost: ${missing.join(' ')}`);
      assert.equal(new Set(after).size, after.length, 'no line is there twice');
      const kept = new Set(after);
      assert.deepEqual(before.filter((line) => !kept.has(line)).length, 0, 'lines lost that were in a file');
    });
  });
});
