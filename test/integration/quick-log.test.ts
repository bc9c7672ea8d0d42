/**
 * The log of a container that is silent and then writes as quickly as the runtime takes lines, on real containerd.
 * Bytes and lines of the files are counted; what the machine gave is reported, not judged.
 */
import assert from 'node:assert/strict';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type TestNode, withNode } from './node.ts';
import { findLogs, readLogs, toLines } from './read-logs.ts';
import { container, samplePod } from './sample-pods.ts';

const MAX_BYTES = 10 * 1024 * 1024;
/** So many files that none is removed: every line must be found. The interval is too long to help. */
const CONFIG = { containerLogMaxSize: '10Mi', containerLogMaxFiles: 200, containerLogMonitorInterval: '60s' };
const LINE_BYTES = 1_000;
const LINES_A_BURST = 500;
const LINES = 200_000;
/** A stretch in which the machine does not let the kubelet run spoils a file; a kubelet that is late spoils most. */
const SPOILT_SHARE = 0.2;
/** Of its size, for a spoilt file too: one that is never rotated is no matter of the machine. */
const MAX_SPOILT = 6;

const PAD = 'x'.repeat(LINE_BYTES - 8);

/** Once there is a sign: numbered lines, half a megabyte each 10 ms, or as quickly as the runtime takes them. */
function writer(): string {
  const print = `for (n = from; n < from + ${LINES_A_BURST}; n++) printf "%06d %s\\n", n, pad`;
  const burst = `awk -v from=$i -v pad=${PAD} 'BEGIN { ${print} }'; i=$((i+${LINES_A_BURST})); sleep 0.01`;
  const loop = `i=0; while [ $i -lt ${LINES} ]; do ${burst}; done`;
  const wait = 'until [ -e /signs/go ]; do sleep 0.1; done';
  return `trap 'exit 0' TERM; ${wait}; ${loop}; touch /signs/written; while true; do sleep 0.2; done`;
}

async function startWriter(node: TestNode): Promise<{ directory: string; signs: string }> {
  const signs = join(node.directory, 'signs');
  await mkdir(signs);
  const volumeMounts = [{ name: 'signs', mountPath: '/signs' }];
  const pod = samplePod('quick', {
    containers: [container('main', ['sh', '-c', writer()], { volumeMounts })],
    volumes: [{ name: 'signs', hostPath: { path: signs } }],
  });
  await node.writeManifest('quick.yaml', pod);
  await node.waitReady('quick', 40_000);
  return { directory: await findLogs(node, 'quick'), signs };
}

describe('the log of a quick writer', () => {
  it('stays within 110 % of its size in each file, with every line once', (test) =>
    withNode({ config: CONFIG }, async (node) => {
      const { directory, signs } = await startWriter(node);
      // Another pod's whole start: the log has been silent long enough to be looked at seldom.
      await node.writeManifest(
        'other.yaml',
        samplePod('other', { containers: [container('main', ['sleep', '9999'])] }),
      );
      await node.waitReady('other', 40_000);
      const startedMs = performance.now();
      await writeFile(join(signs, 'go'), '');
      await node.waitFor(
        'all lines to be written',
        () => access(join(signs, 'written')).then(() => true),
        180_000,
      );
      const pace = (LINES * LINE_BYTES) / (performance.now() - startedMs) / 1_000;
      const files = await node.waitFor(
        'every line in a file',
        async () => {
          const found = await readLogs(directory);
          return found !== undefined && toLines(found).length >= LINES ? found : undefined;
        },
        120_000,
      );
      const shares = files.map(({ bytes }) => bytes / MAX_BYTES);
      test.diagnostic(`${pace.toFixed(1)} MB/s; shares ${shares.map((share) => share.toFixed(2)).join(' ')}`);
      const expected = (line: number): string => `${String(line).padStart(6, '0')} ${PAD}`;
      const lines = toLines(files);
      assert.equal(lines.length, LINES);
      assert.equal(
        lines.findIndex((line, index) => line !== expected(index)),
        -1,
        'the first line that is not the one after its predecessor',
      );
      const spoilt = shares.filter((share) => share > 1.1);
      const report = `${shares.join(' ')} at ${pace} MB/s`;
      assert.ok(spoilt.length <= SPOILT_SHARE * shares.length, report);
      assert.ok(Math.max(...shares) <= MAX_SPOILT, report);
    }));
});
