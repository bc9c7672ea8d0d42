/**
 * A browser for tests of the page: Debian's Chromium, headless, that loads nothing from elsewhere. Whatever a page
 * tries that it must not (a dialog, a script error, a request to another origin) is noted.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env['KUBELET_TS_CHROMIUM'] ?? '/usr/bin/chromium';
/** A busy machine is slow to draw. */
const PATIENCE_MS = 120_000;

export interface Tab {
  readonly page: Page;
  /** What must not happen, in words. */
  readonly offences: readonly string[];
}

/** Opens tabs of their own kind for `body`, and closes everything after it. */
export async function withBrowser(
  body: (open: (address: string, options?: BrowserContextOptions) => Promise<Tab>) => Promise<void>,
): Promise<void> {
  assert.ok(existsSync(CHROMIUM), `no browser at "${CHROMIUM}": run "scripts/host/chromium.sh"`);
  // Root has no sandbox in Chromium; what is shown here is ours.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args, timeout: PATIENCE_MS });
  try {
    await body(async (address, options = {}) => {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      context.setDefaultTimeout(PATIENCE_MS);
      context.setDefaultNavigationTimeout(PATIENCE_MS);
      const page = await context.newPage();
      const offences = watch(page, new URL(address).origin);
      await page.goto(address);
      return { page, offences };
    });
  } finally {
    await browser.close();
  }
}

function watch(page: Page, origin: string): string[] {
  const offences: string[] = [];
  page.on('dialog', (dialog) => {
    offences.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => offences.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A connection that the test itself ends is no offence of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      offences.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) offences.push(`request: ${url}`);
  });
  return offences;
}

/** What axe finds that keeps people out, one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, impact, nodes }) => nodes.map((node) => `${impact} ${id}: ${node.html}`));
}
