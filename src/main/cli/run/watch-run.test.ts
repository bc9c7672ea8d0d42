import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { samplePagePod } from '../../../../test/samples/sample-page.ts';
import type { CliPod } from '../ask/choose-pod.ts';
import type { LocalClient } from '../ask/local-client.ts';
import { ContainerFollower } from './follow-containers.ts';
import { RunScreen } from './run-screen.ts';
import { type RunView, waitUntilGone, watchRun } from './watch-run.ts';

/** A kubelet whose watches end when `cut` is called. */
function viewOf(pods: readonly CliPod[], cut: Promise<void>): RunView {
  const [stdout, stderr] = [new PassThrough().resume(), new PassThrough().resume()];
  const screen = new RunScreen({ stdout, stderr, env: {} });
  async function* lines(): AsyncGenerator<string> {
    yield 'a change';
    await cut;
  }
  const client = {
    getJson: async (path: string) => ({ items: path === '/pods' ? pods : [] }),
    openLines: async () => lines(),
    stream: () => lines(),
  } as unknown as LocalClient;
  const logs = new ContainerFollower(client, screen, AbortSignal.abort());
  return { client, screen, logs, now: () => 0, expected: pods.length };
}

describe('a run whose kubelet falls silent', () => {
  const pod = samplePagePod('web') as CliPod;
  const stop = new AbortController().signal;

  it('does not take that for the end of the run', async () => {
    await assert.rejects(watchRun(viewOf([pod], Promise.resolve()), false, stop), /no longer says/);
  });

  it('does not take its pods for gone', async () => {
    await assert.rejects(waitUntilGone(viewOf([pod], Promise.resolve()), stop), /no longer says/);
  });

  it('takes pods for gone that are not listed', async () => {
    await waitUntilGone(viewOf([], Promise.resolve()), stop);
  });
});
