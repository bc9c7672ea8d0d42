/** A kubelet that cannot run says why, all of it at once, and ends with exit code 1. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tryLockFile } from '../../src/adapters/linux/files/lock-file.ts';
import { TestNode } from './node.ts';

async function runToEnd(
  options: Parameters<typeof TestNode.create>[0],
): Promise<{ code: number | null; text: string }> {
  const node = await TestNode.create(options);
  try {
    await node.kubelet.start();
    // One that does start would never end by itself.
    using _limit = stopLater(node);
    const { code } = await node.kubelet.ended;
    return { code, text: node.logs.map((line) => JSON.stringify(line)).join('\n') };
  } finally {
    await node.dispose();
  }
}

function stopLater(node: TestNode): Disposable {
  const timer = setTimeout(() => void node.kubelet.kill9(), 40_000);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

describe('start refusals', () => {
  it('every bad field of the configuration is named at once', { timeout: 60_000 }, async () => {
    const { code, text } = await runToEnd({
      config: { healthzPort: 99_999, maxPods: -1, readOnlyPort: -3, authorization: { mode: 'Webhook' } },
    });
    assert.equal(code, 1);
    for (const field of ['healthzPort', 'maxPods', 'readOnlyPort', 'authorization.mode']) {
      assert.match(text, new RegExp(`invalid configuration: ${field.replace('.', '\\.')} `));
    }
  });

  it('a runtime that is not there is named with its endpoint', { timeout: 60_000 }, async () => {
    const { code, text } = await runToEnd({ endpoint: 'unix:///run/no-such-runtime.sock' });
    assert.equal(code, 1);
    assert.match(text, /cannot start the kubelet/);
    assert.match(text, /unix:\/\/\/run\/no-such-runtime\.sock/);
  });

  it('a taken read-only port is named, and the process ends', { timeout: 60_000 }, async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      const { code, text } = await runToEnd({ config: { readOnlyPort: port } });
      assert.equal(code, 1);
      assert.match(text, new RegExp(`cannot listen on .*127\\.0\\.0\\.1:${port}.*address already in use`));
      assert.doesNotMatch(text, /stop deadline exceeded/);
    } finally {
      other.close();
    }
  });

  it('a second kubelet waits for the first to leave the root directory', { timeout: 60_000 }, async () => {
    const node = await TestNode.create({ endpoint: 'unix:///run/no-such-runtime.sock' });
    try {
      const own = join(node.kubelet.rootDir, 'kubelet-ts');
      await mkdir(own, { recursive: true });
      const first = await tryLockFile(join(own, 'lock'), new AbortController().signal);
      assert.ok(first);
      await node.kubelet.start();
      const isWaiting = (): boolean =>
        JSON.stringify(node.logs).includes('another kubelet is still running here');
      await node.waitFor('the second one to say so', async () => isWaiting(), 40_000);
      assert.doesNotMatch(JSON.stringify(node.logs), /no-such-runtime/);
      await first.close();
      assert.equal((await node.kubelet.ended).code, 1);
      assert.match(JSON.stringify(node.logs), /no-such-runtime/);
    } finally {
      await node.dispose();
    }
  });
});
