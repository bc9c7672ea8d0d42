/** SIGHUP makes a running kubelet read its files again; what is wrong with them changes nothing. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type TestNode, withNode } from './node.ts';
import { scriptPod } from './sample-pods.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'kubelet');

async function changeFile(
  node: TestNode,
  change: (config: Record<string, unknown>) => object,
): Promise<void> {
  const path = join(node.directory, 'config.json');
  const changed = change(JSON.parse(await readFile(path, 'utf8')));
  await writeFile(`${path}.new`, JSON.stringify(changed));
  await rename(`${path}.new`, path);
}

async function reload(node: TestNode, answer: string): Promise<void> {
  const from = node.logs.length;
  assert.ok(node.kubelet.pid);
  process.kill(node.kubelet.pid, 'SIGHUP');
  await node.waitForLine(answer, ({ msg }) => msg === answer, 30_000, from);
}

async function diff(node: TestNode): Promise<{ field: string; takes: string }[]> {
  const { stdout } = await promisify(execFile)(PROGRAM, [
    'config',
    'diff',
    `--root-dir=${node.kubelet.rootDir}`,
    '--output=json',
  ]);
  return JSON.parse(stdout).differences;
}

describe('configuration reload', () => {
  it('is in force after SIGHUP, and the last good stays when the file is wrong', () =>
    withNode({ config: { maxPods: 1 } }, async (node) => {
      await node.writeManifest('a.yaml', scriptPod('a', 'sleep 600'));
      await node.waitReady('a');
      await changeFile(node, (config) => ({ ...config, maxPods: 2, podPidsLimit: 4242 }));
      assert.deepEqual(
        (await diff(node)).map(({ field, takes }) => [field, takes]),
        [
          ['maxPods', 'reload'],
          ['podPidsLimit', 'restart'],
        ],
      );
      await reload(node, 'configuration reloaded');
      assert.deepEqual(
        (await diff(node)).map(({ field }) => field),
        ['podPidsLimit'],
      );
      // One more than the kubelet was started with.
      await node.writeManifest('b.yaml', scriptPod('b', 'sleep 600'));
      await node.waitReady('b');

      await changeFile(node, (config) => ({ ...config, maxPods: -5 }));
      await reload(node, 'keeping the configuration in force');
      assert.ok(
        node.logs.some(
          ({ msg, err }) => msg === 'the configuration was not reloaded' && /maxPods/.test(`${err}`),
        ),
      );
      await node.waitReady('a');
    }));
});
