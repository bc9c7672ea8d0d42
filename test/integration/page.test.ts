/** The page in a real browser: on a kubelet with real containers, and on made-up pods that try to break out of their text. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/demo/free-port.ts';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import { createPageServer } from '../../src/server/page/page-server.ts';
import { SamplePage, samplePagePod } from '../samples/sample-page.ts';
import { findBarriers, withBrowser } from './browser.ts';
import { type TestNode, withNode } from './node.ts';
import { scriptPod, sleepingPod } from './sample-pods.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'kubelet');
/** Many times what it takes: other work may go on beside it. */
const PATIENCE_MS = 600_000;
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

async function readAddress(node: TestNode): Promise<string> {
  const { stdout } = await promisify(execFile)(PROGRAM, ['page', `--root-dir=${node.kubelet.rootDir}`]);
  return stdout.trim();
}

describe('the page on containerd', () => {
  it('shows pods as they come, change and go, explains a crash loop and streams logs', {
    timeout: 240_000,
  }, async () => {
    const flags = [`--page-port=${await freePort()}`];
    await withNode({ flags }, (node) =>
      withBrowser(async (open) => {
        const { page, offences } = await open(await readAddress(node));
        assert.ok(!page.url().includes('token'), page.url());
        await page.getByText('There are no pods.').waitFor();
        await page.getByRole('status').getByText('Live').waitFor();
        // Appears.
        await node.writeManifest('good.yaml', sleepingPod('good'));
        const row = page
          .getByRole('row')
          .filter({ hasText: node.podName('good') })
          .first();
        await row.getByText('Running').waitFor();
        await row.getByText('1/1').waitFor();
        // Focus stays where it is while rows come and change around it.
        await row.getByRole('link').focus();
        await node.writeManifest(
          'crash.yaml',
          scriptPod('crash', 'echo "<b>about</b> to fail"; sleep 1; exit 3'),
        );
        await node.writeManifest(
          'broken.yaml',
          'apiVersion: v1\nkind: Pod\nmetadata: { name: broken }\nspec: { contaners: [] }\n',
        );
        // Changes, and says why.
        await page
          .getByText(/Waiting for the restart of container "main".*it ended with exit code 3.*next try in/)
          .waitFor();
        await page
          .locator('#pods')
          .getByText(/broken\.yaml:4: spec\.contaners: unknown field/)
          .waitFor();
        assert.equal(await page.evaluate('document.activeElement.textContent'), node.podName('good'));
        // One pod: its life and its log, which is text.
        await page.getByRole('link', { name: node.podName('crash') }).click();
        await page.getByRole('log').getByText('<b>about</b> to fail').waitFor();
        await page.getByRole('cell', { name: 'admission' }).waitFor();
        await page.getByRole('cell', { name: 'sandbox' }).waitFor();
        // Lines come as they are written.
        await node.writeManifest(
          'talk.yaml',
          scriptPod('talk', 'i=0; while true; do i=$((i+1)); echo "line $i"; sleep 0.2; done'),
        );
        await page.getByRole('link', { name: 'Overview' }).click();
        await page.getByRole('link', { name: node.podName('talk') }).click();
        await page
          .getByRole('log')
          .getByText(/line 3\b/)
          .waitFor();
        await page
          .getByRole('log')
          .getByText(/line 15\b/)
          .waitFor();
        // A kubelet that starts again is found again, without a reload.
        await page.evaluate('window.stays = true');
        await node.kubelet.stop();
        await page.getByRole('status').getByText('Connection lost').waitFor();
        await node.startAgain();
        await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
        assert.equal(await page.evaluate('window.stays'), true);
        // Goes.
        await node.removeManifest('talk.yaml');
        await page.getByText('This pod is gone.').waitFor();
        await page.getByRole('link', { name: 'Overview' }).click();
        await node.removeManifest('good.yaml');
        await page.getByRole('link', { name: node.podName('good') }).waitFor({ state: 'detached' });
        assert.deepEqual(offences, []);
      }),
    );
  });
});

const EVIL = `<img src=x onerror="alert('xss')"><script>alert(1)<b>"'&`;

/** Every field that a pod, an image or a manifest brings is hostile. */
function createHostilePage(): SamplePage {
  const sample = new SamplePage(new SystemClock());
  const pod = samplePagePod(EVIL);
  const [status] = pod.status?.containerStatuses ?? [];
  const hostile = { ...status!, name: EVIL, image: EVIL, state: { waiting: { reason: EVIL } }, ready: false };
  const volume = { name: EVIL, [EVIL]: {} } as never;
  const spec = { containers: [{ name: EVIL, image: EVIL }], volumes: [volume] };
  const metadata = { ...pod.metadata, namespace: EVIL, uid: EVIL };
  sample.pods = [
    {
      ...pod,
      metadata,
      spec,
      status: { phase: 'Pending', reason: EVIL, podIP: EVIL, containerStatuses: [hostile] },
    },
    samplePagePod('fine'),
  ];
  const nowMs = Date.now();
  sample.explanations = { [EVIL]: { state: 'waiting', sentence: EVIL, waitsFor: EVIL, tried: EVIL } };
  const steps = [{ what: EVIL, about: EVIL, problem: EVIL, startMs: nowMs }];
  sample.timelines = { [EVIL]: { seenAtMs: nowMs, leftOut: 0, steps } };
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    name: EVIL,
    namespace: EVIL,
    uid: EVIL,
    fieldPath: `{${EVIL}}`,
  };
  const times = { count: 2, firstAtMs: nowMs, lastAtMs: nowMs };
  sample.events = [{ object, type: 'Warning', reason: EVIL, message: EVIL, ...times } as never];
  sample.rejected = [
    { subject: { kind: EVIL, name: EVIL, namespace: EVIL }, file: EVIL, why: EVIL, sinceMs: nowMs },
  ];
  const image = { id: EVIL, repoTags: [EVIL], repoDigests: [], sizeBytes: 1, pinned: false };
  const used = { firstDetectedMs: 0, lastUsedMs: undefined, inUse: false };
  sample.images = {
    images: [{ ...image, ...used }],
    fileSystem: undefined,
    space: undefined,
    wouldRemove: [EVIL],
  };
  sample.problems = [EVIL];
  sample.log = `${EVIL}\n`;
  return sample;
}

describe('the page with made-up pods', () => {
  const evil = encodeURIComponent(EVIL);
  const paths = ['', 'events', 'images', 'volumes', `pods/${evil}/${evil}?uid=${evil}`, 'pods/default/fine'];

  async function withPage(
    sample: SamplePage,
    body: (address: (path: string) => string) => Promise<void>,
  ): Promise<void> {
    const token = 'A'.repeat(43);
    const listener = createPageServer(0, sample.source, token);
    const port = await listener.start();
    try {
      await body((path) => `http://127.0.0.1:${port}/${path}${path.includes('?') ? '&' : '?'}token=${token}`);
    } finally {
      await listener.stop();
    }
  }

  it('shows every field as text, as it came and as updates have it', { timeout: PATIENCE_MS }, () =>
    withPage(createHostilePage(), (address) =>
      withBrowser(async (open) => {
        const { page, offences } = await open(address(''));
        for (const path of paths) {
          await page.goto(address(path));
          if (!path.endsWith('fine')) await page.getByText(EVIL).first().waitFor();
          const countForbidden = () =>
            page.evaluate('document.querySelectorAll("main img, main script, main b b").length');
          assert.equal(await countForbidden(), 0, path);
          await page.locator('#live-state.live').waitFor();
          assert.equal(await countForbidden(), 0, path);
          assert.deepEqual(offences, [], path);
        }
      }),
    ),
  );

  it('axe finds nothing serious in light, dark, on a phone and in Chinese', { timeout: PATIENCE_MS }, () =>
    withPage(createHostilePage(), (address) =>
      withBrowser(async (open) => {
        const some = [...paths.slice(0, 1), ...paths.slice(-2, -1)];
        for (const [options, shown] of [
          [{ colorScheme: 'light' }, paths],
          [{ colorScheme: 'dark' }, some],
          [PHONE, some],
          [{ locale: 'zh-CN' }, some],
        ] as const) {
          const { page } = await open(address(''), options);
          for (const path of shown) {
            await page.goto(address(path));
            await page.locator('#live-state.live').waitFor();
            assert.deepEqual(await findBarriers(page), [], `${path} ${JSON.stringify(options)}`);
            const { scrollWidth, clientWidth } = (await page.evaluate(
              '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
            )) as { scrollWidth: number; clientWidth: number };
            assert.equal(scrollWidth, clientWidth, `scrolls sideways: ${path} ${JSON.stringify(options)}`);
          }
          await page.context().close();
        }
      }),
    ),
  );

  it('is used by keyboard alone', { timeout: PATIENCE_MS }, () => {
    const sample = new SamplePage(new SystemClock());
    sample.pods = [samplePagePod('fine')];
    return withPage(sample, (address) =>
      withBrowser(async (open) => {
        const { page } = await open(address(''));
        await page.keyboard.press('Tab');
        assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
        await page.keyboard.press('Enter');
        await page.keyboard.press('Tab');
        assert.equal(await page.evaluate('document.activeElement.textContent'), 'fine');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'fine' }).waitFor();
      }),
    );
  });
});
