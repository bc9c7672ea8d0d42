/**
 * The page of a node with many pods, in a real browser: how long it takes to the first paint, and what the kubelet
 * costs while it is open, and while it is not. `make bench-page` runs it.
 *
 * usage: node bench/page.ts [--pods=100] [--loads=9] [--seconds=60]
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../scripts/demo/free-port.ts';
import { withBrowser } from '../test/integration/browser.ts';
import { type TestNode, withNode } from '../test/integration/node.ts';
import { sleepingPod } from '../test/integration/sample-pods.ts';
import { readCpuMs } from './process-cost.ts';

const PATIENCE_MS = 600_000;
/** What came with the pods has been done by then: first looks at logs, images, statuses. */
const SETTLE_MS = 60_000;
const PROGRAM = join(import.meta.dirname, '..', 'bin', 'kubelet');

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '100' },
    loads: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '60' },
  },
});
const pods = Number(values.pods);
const seconds = Number(values.seconds);

/** Of one core, on average. */
async function measureMillicores(node: TestNode): Promise<number> {
  const before = await readCpuMs(node.kubelet.pid);
  await delay(seconds * 1000);
  return ((await readCpuMs(node.kubelet.pid)) - before) / seconds;
}

const PAINT = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`;

const options = { flags: [`--page-port=${await freePort()}`], config: { maxPods: pods + 10 } };
await withNode(options, async (node) => {
  for (let index = 0; index < pods; index++)
    await node.writeManifest(`p${index}.yaml`, sleepingPod(`p${index}`));
  for (let index = 0; index < pods; index++) await node.waitReady(`p${index}`, PATIENCE_MS);
  await delay(SETTLE_MS);
  const report = (what: string, value: string): void => console.log(`${what}: ${value}`);
  report(`closed, ${pods} pods`, `${(await measureMillicores(node)).toFixed(1)} millicores`);
  const address = execFileSync(PROGRAM, ['page', `--root-dir=${node.kubelet.rootDir}`], { encoding: 'utf8' });
  await withBrowser(async (open) => {
    const paintsMs: number[] = [];
    for (let load = 0; load < Number(values.loads); load++) {
      const { page } = await open(address.trim());
      await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
      paintsMs.push(Number(await page.evaluate(PAINT)));
      await page.context().close();
    }
    report('first paint', `${paintsMs.map((ms) => Math.round(ms)).join(', ')} ms`);
    const { page } = await open(address.trim());
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    report('open', `${(await measureMillicores(node)).toFixed(1)} millicores`);
  });
  await delay(SETTLE_MS);
  report('closed again', `${(await measureMillicores(node)).toFixed(1)} millicores`);
  await node.removeAllManifests();
  await node.waitFor('the pods to be gone', async () => (await node.pods()).length === 0, PATIENCE_MS);
});
