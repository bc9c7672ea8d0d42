/**
 * The storage driver of the other tests against the suite that all storage
 * drivers are checked with: what our kubelet gets along with is a real one.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { NEEDS_CLUSTER, waitFor } from './cluster.ts';

const run = promisify(execFile);
const MEBIBYTE = 2 ** 20;

describe('the storage driver of the tests', NEEDS_CLUSTER, () => {
  for (const kind of ['mount', 'block'])
    it(`passes csi-sanity with ${kind} volumes`, async (t) => {
      const directory = mkdtempSync(join(tmpdir(), 'csi-sanity-'));
      const socket = join(directory, 'csi.sock');
      const state = join(directory, 'volumes');
      const args = [
        '--node-id',
        'n1',
        '--socket',
        socket,
        '--state',
        state,
        '--calls',
        join(directory, 'calls'),
      ];
      const driver = spawn('csi-driver', args, { stdio: 'inherit' });
      try {
        await waitFor('the driver', () => existsSync(socket));
        const report = join(directory, 'report.json');
        const flags = {
          'csi.endpoint': socket,
          'csi.mountdir': join(directory, 'mount'),
          'csi.stagingdir': join(directory, 'staging'),
          'csi.testvolumeaccesstype': kind,
          'csi.testvolumesize': 16 * MEBIBYTE,
          'csi.testvolumeexpandsize': 32 * MEBIBYTE,
          'csi.testnodevolumeattachlimit': true,
          'ginkgo.json-report': report,
        };
        const list = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
        await run('csi-sanity', [...list, '--ginkgo.no-color'], { maxBuffer: 16 * MEBIBYTE }).catch(
          ({ stdout }: { stdout: string }) => assert.fail(stdout),
        );
        const passed = countPassed(readFileSync(report, 'utf8'));
        t.diagnostic(`${passed} passed`);
        assert.ok(passed >= 58, `only ${passed} were run`);
        const mounts = readFileSync('/proc/self/mountinfo', 'utf8');
        assert.equal(mounts.includes(directory), false, 'nothing is left mounted');
      } finally {
        driver.kill();
        rmSync(directory, { recursive: true, force: true });
      }
    });
});

function countPassed(report: string): number {
  const suites = JSON.parse(report) as { SpecReports: { LeafNodeType: string; State: string }[] }[];
  return suites
    .flatMap(({ SpecReports }) => SpecReports)
    .filter(({ LeafNodeType, State }) => LeafNodeType === 'It' && State === 'passed').length;
}
