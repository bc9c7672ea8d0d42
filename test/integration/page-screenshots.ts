/**
 * Takes the pictures of the page in docs/page: a node with real containers of which one crashes, one has no image and
 * one manifest is wrong, looked at until its plots show something. `make page-screenshots` runs it.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { freePort } from '../../scripts/demo/free-port.ts';
import { withBrowser } from './browser.ts';
import { type TestNode, withNode } from './node.ts';
import { container, DEMO_WEB, samplePod, scriptPod, sleepingPod } from './sample-pods.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PICTURES = join(ROOT, 'docs', 'page');
/** Points of the plots, one each ten seconds. */
const POINTS = 10;
const DESK = { viewport: { width: 1100, height: 760 } };
const PHONE = { viewport: { width: 390, height: 720 }, isMobile: true, hasTouch: true };

const BUSY =
  'while true; do n=0; while [ $n -lt 20000 ]; do n=$((n+1)); done; echo "batch done"; sleep 2; done';

async function writeManifests(node: TestNode): Promise<void> {
  const volumes = [{ name: 'cache', emptyDir: {} }];
  const mount = { volumeMounts: [{ name: 'cache', mountPath: '/cache' }] };
  const web = { name: 'web', image: DEMO_WEB, imagePullPolicy: 'IfNotPresent', ...mount };
  const side = container('refresh', ['sh', '-c', 'while true; do date; sleep 1; done'], mount);
  await node.writeManifest('shop.yaml', samplePod('shop', { volumes, containers: [web, side] }));
  await node.writeManifest('batch.yaml', scriptPod('batch', BUSY));
  await node.writeManifest('queue.yaml', sleepingPod('queue'));
  await node.writeManifest('crash.yaml', scriptPod('crash', 'echo "cannot open /data/db"; sleep 1; exit 3'));
  const missing = { containers: [{ name: 'main', image: 'localhost:1/nope:1' }] };
  await node.writeManifest('report.yaml', samplePod('report', missing));
  const wrong = 'apiVersion: v1\nkind: Pod\nmetadata: { name: typo }\nspec: { contaners: [] }\n';
  await node.writeManifest('typo.yaml', wrong);
}

async function shoot(page: Page, name: string): Promise<void> {
  await page.locator('#live-state.live').waitFor();
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

await mkdir(PICTURES, { recursive: true });
await withNode({ nodeName: 'node1', flags: [`--page-port=${await freePort()}`] }, async (node) => {
  await writeManifests(node);
  for (const name of ['shop', 'batch', 'queue']) await node.waitReady(name);
  const words = ['page', `--root-dir=${node.kubelet.rootDir}`];
  const { stdout } = await promisify(execFile)(join(ROOT, 'bin', 'kubelet'), words);
  const address = stdout.trim();
  await withBrowser(async (open) => {
    const first = await open(address, DESK);
    const points =
      '(document.querySelector("#node .plot path")?.getAttribute("d").match(/[ML]/g) ?? []).length';
    const isDrawn = async (): Promise<boolean> => Number(await first.page.evaluate(points)) >= POINTS;
    await node.waitFor('the plots to show something', isDrawn, 600_000);
    const pictures: readonly (readonly [string, BrowserContextOptions])[] = [
      ['light', { ...DESK, colorScheme: 'light' }],
      ['dark', { ...DESK, colorScheme: 'dark' }],
      ['phone', { ...PHONE, colorScheme: 'light' }],
    ];
    for (const [name, options] of pictures) await shoot((await open(address, options)).page, name);
    const { page } = await open(address, { ...DESK, colorScheme: 'light' });
    await page.getByRole('link', { name: node.podName('shop') }).click();
    await page.getByRole('link', { name: 'refresh' }).click();
    await page.getByRole('log').getByText('UTC').first().waitFor();
    await page.locator('#life').scrollIntoViewIfNeeded();
    await shoot(page, 'pod');
  });
});
