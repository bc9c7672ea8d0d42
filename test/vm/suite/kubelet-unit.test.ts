/**
 * The kubelet as a unit of systemd: it reports that it is ready, its watchdog
 * is fed, and what kills it, or makes systemd read its units again, touches no pod.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { ListedPod } from '../../../scripts/demo/kubelet-process.ts';
import { containerStatus, type TestNode, withNode } from '../../integration/node.ts';
import { container, samplePod } from '../../integration/sample-pods.ts';
import { readLimits } from './read-limits.ts';

const HAS_SYSTEMD = existsSync('/run/systemd/system');
const PROGRAM = join(import.meta.dirname, 'as-unit.sh');
const WATCHDOG_SECONDS = 60;

const systemctl = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)('systemctl', args)).stdout.trim();

/** Runs `body` on a node whose kubelet is a unit. */
function withUnit(body: (node: TestNode, unit: string) => Promise<void>): Promise<void> {
  const unit = `kubelet-${randomBytes(3).toString('hex')}.service`;
  const env = { KUBELET_UNIT: unit, KUBELET_WATCHDOG_SECONDS: String(WATCHDOG_SECONDS) };
  return withNode({ program: PROGRAM, env, config: { podPidsLimit: 99 } }, (node) => body(node, unit));
}

const show = (unit: string, property: string): Promise<string> =>
  systemctl('show', '--value', `--property=${property}`, '--', unit);

/** A pod with limits of every kind, once it is ready. */
async function startPod(node: TestNode): Promise<ListedPod> {
  const list = { cpu: '300m', memory: '48Mi' };
  const main = container('main', ['/bin/tini', '--', 'sleep', 'infinity'], {
    resources: { requests: list, limits: list },
  });
  await node.writeManifest('steady.json', samplePod('steady', { containers: [main] }));
  return node.waitReady('steady');
}

const readControls = (node: TestNode, { metadata }: ListedPod): Promise<string[]> =>
  readLimits(node, `pod${metadata.uid}`);

const identityOf = (pod: ListedPod): string =>
  `${pod.metadata.uid} ${containerStatus(pod, 'main').containerID} ${containerStatus(pod, 'main').restartCount}`;

/** The kubelet that systemd started after the one with `pid`, once it answers. */
function waitForNext(node: TestNode, unit: string, pid: string): Promise<unknown> {
  return node.waitFor(
    'systemd to start the kubelet again',
    async () => {
      const isNext = ![pid, '0'].includes(await show(unit, 'MainPID'));
      return isNext && (await show(unit, 'ActiveState')) === 'active' && (await node.pods()).length === 1;
    },
    60_000,
  );
}

describe('the kubelet as a unit of systemd', { skip: !HAS_SYSTEMD && 'systemd does not run here' }, () => {
  it('is active once it is ready, and feeds the watchdog', () =>
    withUnit(async (node, unit) => {
      await node.waitForLine(
        'that the unit has started',
        ({ msg }) => msg === 'systemd reports the unit as started',
        60_000,
      );
      assert.equal(await show(unit, 'ActiveState'), 'active');
      assert.equal(await show(unit, 'NotifyAccess'), 'main');
      const readFed = (): Promise<string> => show(unit, 'WatchdogTimestampMonotonic');
      for (let times = 0; times < 2; times++) {
        const before = await readFed();
        await node.waitFor('the watchdog to be fed', async () => (await readFed()) !== before, 60_000);
      }
      assert.equal(await show(unit, 'NRestarts'), '0');
    }));

  it('ends by SIGKILL, by its watchdog, and units are read again, and no pod is touched', () =>
    withUnit(async (node, unit) => {
      const pod = await startPod(node);
      const before = { identity: identityOf(pod), controls: await readControls(node, pod) };
      const check = async (after: string): Promise<void> => {
        const now = await node.waitReady('steady');
        assert.deepEqual(
          { identity: identityOf(now), controls: await readControls(node, now) },
          before,
          after,
        );
      };
      await systemctl('daemon-reload');
      await check('after a daemon-reload');

      let pid = await show(unit, 'MainPID');
      await systemctl('kill', '--kill-whom=main', '--signal=KILL', '--', unit);
      await waitForNext(node, unit, pid);
      await check('after the death of the kubelet');

      pid = await show(unit, 'MainPID');
      await systemctl('kill', '--kill-whom=main', '--signal=STOP', '--', unit);
      await waitForNext(node, unit, pid);
      await check('after the watchdog');
      assert.equal(await show(unit, 'NRestarts'), '2');

      await systemctl('daemon-reload');
      await check('after another daemon-reload');
    }));
});
