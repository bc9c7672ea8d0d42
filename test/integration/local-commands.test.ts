/** The sub-commands against a kubelet on real containerd: a good pod, one that crashes, one without an image. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { toLocalSocket } from '../../src/main/config/local-socket.ts';
import { type TestNode, withNode } from './node.ts';
import { container, DEMO_WEB, samplePod, scriptPod } from './sample-pods.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'kubelet');

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The flags of the node come first, so that a command may follow `--`. */
async function run(node: TestNode, [verb = '', ...words]: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(PROGRAM, [verb, `--root-dir=${node.kubelet.rootDir}`, ...words]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}

describe('sub-commands on containerd', () => {
  it('show what runs, what does not and why, and reach into containers', () =>
    withNode({}, async (node) => {
      const { mode } = await stat(toLocalSocket(node.kubelet.rootDir));
      assert.equal(mode & 0o777, 0o600);
      await node.writeManifest('crash.yaml', scriptPod('crash', 'echo about to fail; exit 3'));
      const missing = { containers: [{ name: 'main', image: 'localhost:1/nope:1' }] };
      await node.writeManifest('bad.yaml', samplePod('bad', missing));
      const web = { name: 'web', image: DEMO_WEB, ports: [{ containerPort: 8080 }] };
      await node.writeManifest(
        'good.yaml',
        samplePod('good', { containers: [web, container('side', ['sleep', '600'])] }),
      );
      await node.waitReady('good');
      const loop = await node.waitFor(
        'the crash loop to be explained',
        async () => {
          const { out } = await run(node, ['explain', 'crash']);
          return /next try in/.test(out) ? out : undefined;
        },
        30_000,
      );
      assert.match(
        loop,
        /^Waiting for the restart of container "main" \(for \d+s\): it ended with exit code 3.*; next try in \d+s\.\n$/,
      );
      const image = await node.waitFor(
        'the pull that failed to be explained',
        async () => {
          const { out } = await run(node, ['explain', 'bad', '-o', 'json']);
          const printed = JSON.parse(out) as Record<string, string>;
          return printed['nextTryAt'] !== undefined && printed;
        },
        30_000,
      );
      const { state, waitsFor, nextTryAt } = image;
      assert.deepEqual([state, waitsFor], ['waiting', 'the image "localhost:1/nope:1" of container "main"']);
      assert.ok(!Number.isNaN(Date.parse(nextTryAt ?? '')));
      assert.match((await run(node, ['explain', 'good'])).out, /^Ready \(for \d+s\)/);

      const list = (await run(node, ['get', 'pods'])).out;
      assert.match(
        list,
        /^NAME +READY +STATUS +RESTARTS +AGE\nbad-\S+ +0\/1 +(ImagePullBackOff|ErrImagePull) /,
      );
      assert.match(list, /\ngood-\S+ +2\/2 +Running +0 /);
      assert.match(
        (await run(node, ['describe', 'pod', 'crash'])).out,
        /Exit Code: +3\n[\s\S]*\nEvents:\n[\s\S]*BackOff/,
      );
      assert.match((await run(node, ['events', 'bad'])).out, /Warning +Failed .*Failed to pull image/);
      assert.equal((await run(node, ['logs', 'crash', '--tail', '1'])).out, 'about to fail\n');

      // The first look waits for a second measurement.
      assert.match((await run(node, ['top', 'pods', 'good'])).out, /\ndefault +good-\S+ +\d+m +\d+Mi\n$/);
      assert.match(
        (await run(node, ['top', 'containers', 'good'])).out,
        /\n\S+ +good-\S+ +side +\d+m +\d+Mi\n/,
      );
      assert.match((await run(node, ['top', 'node'])).out, /\n\S+ +\d+m +\d+% +\d+Mi +\d+%\n$/);

      const exec = await run(node, [
        'exec',
        'good',
        '-c',
        'side',
        '--',
        'sh',
        '-c',
        'echo out; echo err >&2; exit 7',
      ]);
      assert.deepEqual(exec, { code: 7, out: 'out\n', err: 'err\ncommand terminated with exit code 7\n' });
      assert.deepEqual(await run(node, ['exec', '-i', 'good', '-c', 'side', '--', 'cat'], 'hello'), {
        code: 0,
        out: 'hello',
        err: '',
      });
      assert.match(await fetchForwarded(node), /Hello from kubelet-ts/);

      const gone = await run(node, ['explain', 'nope']);
      assert.deepEqual([gone.code, gone.err], [1, 'error: pods "nope" not found on this node\n']);
    }));
});

/** Asks the web server through a forwarded port, and ends the forwarding as a user would. */
async function fetchForwarded(node: TestNode): Promise<string> {
  const flags = [`--root-dir=${node.kubelet.rootDir}`];
  const child = spawn(PROGRAM, ['port-forward', ...flags, 'good', ':8080'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    const line = await new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve));
    const port = Number(/127\.0\.0\.1:(\d+) -> 8080$/.exec(line)?.[1]);
    return await new Promise<string>((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port, agent: false, timeout: 30_000 }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve(body));
      });
      request.on('timeout', () => request.destroy(new Error('no answer through the forwarded port')));
      request.on('error', reject);
    });
  } finally {
    child.kill('SIGINT');
    assert.equal(await ended, 130);
  }
}
