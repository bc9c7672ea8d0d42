import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CliPod } from '../ask/choose-pod.ts';
import { ContainerFollower, splitLines } from './follow-containers.ts';

describe('splitLines', () => {
  it('keeps what has no end yet', () => {
    const { lines, left } = splitLines(Buffer.from('a\n\nb'));
    assert.deepEqual([lines.map(String), String(left)], [['a\n', '\n'], 'b']);
  });

  it('breaks a line that never ends', () => {
    const { lines, left } = splitLines(Buffer.alloc(100_000, 0x61));
    assert.deepEqual([lines.length, lines[0]?.length, left.length], [1, 100_001, 0]);
  });
});

describe('ContainerFollower', () => {
  const pod = (id: string, before?: string): CliPod =>
    ({
      metadata: { name: 'web-n1', namespace: 'default', uid: 'u' },
      spec: { nodeName: 'n1', containers: [{ name: 'main' }] },
      status: {
        containerStatuses: [
          {
            name: 'main',
            containerID: id,
            state: { running: {} },
            lastState: before === undefined ? {} : { terminated: { containerID: before } },
          },
        ],
      },
    }) as unknown as CliPod;

  it('follows every instance once, also one that has ended between two looks', async () => {
    const asked: string[] = [];
    const shown: string[] = [];
    const client = {
      async *stream(path: string) {
        asked.push(path);
        yield Buffer.from('x\ny');
      },
    };
    const screen = {
      showLog: async (name: string, lines: readonly Buffer[]) => void shown.push(`${name} ${lines.join('')}`),
    };
    const follower = new ContainerFollower(client, screen, new AbortController().signal);
    follower.update([pod('c1')]);
    follower.update([pod('c1')]);
    follower.update([pod('c3', 'c2')]);
    await follower.settled();
    assert.deepEqual(
      asked.map((path) => path.replace('/containerLogs/default/web-n1/main?', '')),
      ['uid=u&follow=true', 'uid=u&previous=true', 'uid=u&follow=true'],
    );
    assert.deepEqual(shown.slice(0, 1), ['web/main x\n']);
    assert.equal(shown.filter((line) => line === 'web/main y\n').length, 3);
  });

  it('a log that cannot be read is no failure', async () => {
    const client = {
      // biome-ignore lint/correctness/useYield: it fails before
      async *stream(): AsyncGenerator<Buffer> {
        throw new Error('no log');
      },
    };
    const follower = new ContainerFollower(client, { showLog: async () => {} }, new AbortController().signal);
    follower.update([pod('c1')]);
    await follower.settled();
  });
});
