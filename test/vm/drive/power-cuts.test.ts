/**
 * The power of a busy node is cut at random moments, again and again: QEMU is killed, so all that its kernel had not
 * sent to the disks is lost (a disk keeps what it was sent: a write cache that loses data is not part of this).
 * After each boot pods are back with the right restart counts, data that a pod made safe is there, and no file of the
 * kubelet is damaged; in the end nothing is left. CUTS says how often, SEED which moments.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { SeededRandom } from '../../fakes/seeded-random.ts';
import { container, type SamplePod, samplePod } from '../../integration/sample-pods.ts';
import { BusyNode } from './busy-node.ts';
import { eventually } from './eventually.ts';
import { countingScript, Witness } from './witness.ts';

const CUTS = Number(process.env['CUTS'] ?? 5);
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const STEADY = ['static-vm-node', 'counter', 'reader'];
const COUNTING = ['static', 'counter'];
const UNDER_LOAD_MS = 25_000;
/** Of the cuts that come while the machine still boots or the node begins. */
const EARLY_SHARE = 0.25;
const EARLY_MS = 60_000;
const BEGIN_MS = 600_000;

/** At once: a run takes hours, and a diagnostic is shown at its end. */
function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function countingPod(name: string, port: number, volume: object): SamplePod {
  const mounts = [{ name: 'data', mountPath: '/data' }];
  return samplePod(name, {
    hostNetwork: true,
    volumes: [{ name: 'data', ...volume }],
    containers: [
      container('main', ['sh', '-c', countingScript(name, '10.0.2.2', port)], { volumeMounts: mounts }),
    ],
  });
}

async function cutAll(node: BusyNode, witness: Witness): Promise<void> {
  const random = new SeededRandom(SEED);
  const port = await witness.start();
  await node.start();
  const manifest = countingPod('static', port, {
    hostPath: { path: '/payload/node/numbers', type: 'DirectoryOrCreate' },
  });
  await node.machine.agent.write('/payload/node/manifests/static.json', JSON.stringify(manifest));
  node.createPod(countingPod('counter', port, { emptyDir: {} }));
  node.createObjects();
  node.createPod(node.reader('reader'));

  let early = 0;
  let steady = await node.settle(STEADY);
  for (let cut = 1; cut <= CUTS; cut++) {
    await using load = node.beginLoad(random);
    const waitMs = Math.floor(random.next() * UNDER_LOAD_MS);
    await delay(waitMs);
    const kept = new Map(COUNTING.map((name) => [name, witness.kept(name)]));
    const begun = new Map(COUNTING.map((name) => [name, witness.found(name).length]));
    await node.machine.cutPower();
    load.stop();
    let isEarly = false;
    while (random.next() < EARLY_SHARE) {
      isEarly = true;
      early++;
      await node.bootAndCut(Math.floor(random.next() * EARLY_MS));
    }
    node.noteInstances(STEADY);
    const bootedAt = Date.now();
    const { version } = node.api.store;
    await node.machine.boot();
    await node.waitNodeReady(version);
    const after = await node.settle(STEADY);
    for (const [name, number] of kept) {
      // An instance is ready a moment before it has said anything.
      const found = await eventually(
        `${name} to begin again`,
        () => {
          const since = witness.found(name).slice(begun.get(name));
          return since.length > 0 && since;
        },
        BEGIN_MS,
      );
      for (const one of found) assert.ok(one >= number, `${name} found ${one}, ${number} were safe`);
    }
    for (const [name, restarts] of steady) {
      const now = after.get(name) ?? -1;
      assert.ok(
        isEarly ? now > restarts : now === restarts + 1,
        `${name}: ${restarts} restarts, then ${now}`,
      );
    }
    steady = after;
    await node.checkFiles();
    say(
      `cut ${cut} after ${waitMs} ms of load${isEarly ? ', and again at boot' : ''}: back in ${Math.round((Date.now() - bootedAt) / 1000)} s, restarts ${[...after].map((one) => one.join(' ')).join(', ')}`,
    );
  }
  say(`${CUTS} cuts under load and ${early} at boot, ${node.jobs} pods of the load`);
  await node.endAll();
}

describe('power cuts', () => {
  it(`${CUTS} times, seed ${SEED}: pods are back, nothing that was safe is lost, nothing is left`, async () => {
    using witness = new Witness();
    await using node = new BusyNode();
    await node.keepLogOfFailure(`power-cuts-${SEED}.log`, () => cutAll(node, witness));
  });
});
