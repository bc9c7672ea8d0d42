/**
 * Many pods at once become ready as a stream: the first ones while most have
 * not begun. What counts is how many sandboxes were made by the time that a
 * pod is ready, not how long it took: that does not depend on who else uses
 * the machine. Without the start gate (KUBELET_TS_START_GATE=1000) some twenty
 * pods have a sandbox before the first is ready; with it two or three.
 */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, it } from 'node:test';
import { withNode } from './node.ts';
import { sleepingPod } from './sample-pods.ts';

const PODS = 30;
const WIDTH = availableParallelism() + 1;
/** Pods in the gate, and as many that have left it but are not known to be ready yet. */
const AHEAD = 2 * WIDTH;

describe('thirty manifests at once', { timeout: 300_000 }, () => {
  it('become ready one after the other, while most have not begun', async () => {
    const begun = await countBegun();
    assert.ok(leadOf(begun) <= AHEAD, `sandboxes made when each pod got ready: ${begun}`);
  });
});

/** The most pods that had a sandbox but were not ready, at any moment. */
function leadOf(begun: readonly number[]): number {
  return Math.max(...begun.map((sandboxes, at) => sandboxes - at - 1));
}

/** How many sandboxes had been made when the first pod was ready, the second, and so on. */
async function countBegun(): Promise<number[]> {
  const begun: number[] = [];
  const config = { logging: { format: 'json', verbosity: 2 } };
  await withNode({ config }, async (node) => {
    const names = Array.from({ length: PODS }, (_, i) => `pod-${String(i).padStart(2, '0')}`);
    await Promise.all(names.map((name) => node.writeManifest(`${name}.yaml`, sleepingPod(name))));
    const isReady = ({ msg, state }: (typeof node.logs)[number]): boolean =>
      msg === 'pod status' && state === 'Running, Ready';
    await node.waitFor('all pods to be ready', () => node.logs.filter(isReady).length >= PODS, 120_000);
    let sandboxes = 0;
    for (const line of node.logs) {
      if (line.msg === 'performed' && String(line['action']).includes('sandbox')) sandboxes++;
      if (isReady(line)) begun.push(sandboxes);
    }
  });
  assert.equal(begun.length, PODS, 'every pod gets ready once');
  return begun;
}
