/**
 * `kill -9` of the kubelet is a normal stop: whatever the moment, the next
 * one takes over what runs, and a crash loop goes on where it was.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readRestartCount } from '../../src/core/model/container-labels.ts';
import { containerStatus, type isReady, type TestNode, withNode } from './node.ts';
import { scriptPod, sleepingPod } from './sample-pods.ts';

const KILLS = 30;
/** Each life is this much longer than the one before, so that death comes at every stage. */
const STEP_MS = 90;
const STEADY = Array.from({ length: 9 }, (_, i) => `steady-${i}`);
/** From the end of an instance to the next start: at once, then the back-off. */
const DELAYS_MS = [0, 10_000, 20_000, 40_000];
/**
 * How late a restart may be, counted from the first answer of the last kubelet: on a busy machine no life before it
 * may be long enough for a start. A delay that every new kubelet counted from zero, the shortest, would be later.
 */
const LATE_MS = 9_000;

interface Start {
  readonly restartCount: number;
  readonly startedAtMs: number;
  readonly finishedAtMs: number | undefined;
}

describe('death of the agent', () => {
  it('thirty times kill -9 restarts no container and keeps the crash loop waiting', () =>
    withNode({ leftoversGoWithinMs: 20_000 }, async (node) => {
      const starts = new Map<string, Start>();
      const watching = new AbortController();
      const watcher = watchStarts(node, starts, watching.signal);
      for (const name of STEADY) await node.writeManifest(`${name}.yaml`, sleepingPod(name));
      await node.writeManifest('crasher.yaml', scriptPod('crasher', 'exit 3'));
      const before = new Map<string, string>();
      for (const name of STEADY) before.set(name, identity(await node.waitReady(name, 60_000)));
      const from = node.logs.length;
      for (let life = 0; life < KILLS; life++) {
        await node.kubelet.kill9();
        await node.kubelet.start();
        await delay(life * STEP_MS);
      }
      await node.waitFor(
        'the last kubelet to answer',
        async () => (await node.pods()).length === STEADY.length + 1,
        20_000,
      );
      const lastingFromMs = Date.now();
      for (const name of STEADY) {
        assert.equal(
          identity(await node.waitReady(name, 20_000)),
          before.get(name),
          `pod "${name}" was touched`,
        );
      }
      const flips = node.logs
        .slice(from)
        .filter(
          ({ msg, pod, state }) =>
            msg === 'pod status' && String(pod).includes('steady-') && state !== 'Running, Ready',
        );
      assert.deepEqual(flips, [], 'a ready pod was reported otherwise');

      await node.waitFor(
        'the third restart of the crash loop',
        () => [...starts.values()].some(({ restartCount }) => restartCount >= 3),
        60_000,
      );
      watching.abort();
      await watcher;
      checkCrashLoop(
        [...starts.values()].sort((a, b) => a.startedAtMs - b.startedAtMs),
        lastingFromMs,
      );
    }));

  it('a stop by signal leaves the pods running and the next kubelet adopts them', () =>
    withNode({}, async (node) => {
      await node.writeManifest('web.yaml', sleepingPod('web'));
      const before = await node.waitReady('web');
      const { code } = await node.kubelet.stop();
      assert.equal(code, 0);
      const [running] = await node.cri.reader.listContainers();
      assert.equal(running?.state, 'running');
      // Removed while no kubelet watched: the next kubelet finds a pod that no source wants.
      await node.removeManifest('web.yaml');
      await node.writeManifest('other.yaml', sleepingPod('other'));
      await node.startAgain();
      await node.waitReady('other');
      await node.waitForLine(
        'that the orphan is gone',
        ({ msg, podUid }) => msg === 'pod gone' && podUid === before.metadata.uid,
        20_000,
      );
    }));
});

/** The container's id and restart count in one text. */
function identity(pod: Parameters<typeof isReady>[0] & Parameters<typeof containerStatus>[0]): string {
  const { containerID, restartCount } = containerStatus(pod, 'main');
  return `${pod.metadata.uid} ${containerID} ${restartCount}`;
}

/** Old instances are removed: looks often and remembers each. */
async function watchStarts(node: TestNode, starts: Map<string, Start>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    for (const { id, labels, state } of await node.cri.reader.listContainers()) {
      const known = starts.get(id);
      if (labels['io.kubernetes.pod.name'] !== node.podName('crasher') || state === 'created') continue;
      if (known?.finishedAtMs !== undefined) continue;
      const observed = await node.cri.reader.containerStatus(id);
      if (observed === undefined) continue;
      // Killed in the middle of a start: the instance counts although its process never ran.
      const { finishedAtMs, startedAtMs = observed.createdAtMs } = observed.details ?? {};
      starts.set(id, { restartCount: readRestartCount(observed), startedAtMs, finishedAtMs });
    }
    await delay(100, undefined, { signal: stop }).catch(() => {});
  }
}

function checkCrashLoop(starts: readonly Start[], lastingFromMs: number): void {
  assert.deepEqual(
    starts.map(({ restartCount }) => restartCount),
    starts.map((_, i) => i),
    'restart counts go up by one',
  );
  for (const [i, { startedAtMs }] of starts.entries()) {
    const ended = starts[i - 1]?.finishedAtMs;
    const expectedMs = DELAYS_MS[i - 1];
    if (ended === undefined || expectedMs === undefined) continue;
    const gapMs = startedAtMs - ended;
    assert.ok(gapMs >= expectedMs - 50, `restart ${i} came ${gapMs} ms after the end, not ${expectedMs}`);
    const dueMs = Math.max(ended + expectedMs, lastingFromMs);
    assert.ok(startedAtMs <= dueMs + LATE_MS, `restart ${i} came as late as ${gapMs} ms after the end`);
  }
}
