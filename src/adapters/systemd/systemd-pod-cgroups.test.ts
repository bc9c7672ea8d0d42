import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { FakeCgroups } from '../../../test/fakes/fake-cgroups.ts';
import { AgentError, hasCode } from '../../base/errors.ts';
import { SystemdPodCgroups } from './systemd-pod-cgroups.ts';
import { requireSystemd, SystemdUnits } from './systemd-units.ts';

const TIER = '/kubepods.slice/kubepods-burstable.slice';
const POD = `${TIER}/kubepods-burstable-podabc.slice`;
const MANAGER = 'org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager';

let lines: string[];
let answer: (line: string) => string;
let files: FakeCgroups;
let cgroups: SystemdPodCgroups;

const run = async (program: string, args: readonly string[]): Promise<string> => {
  const line = [program, ...args].join(' ');
  lines.push(line);
  return answer(line);
};

beforeEach(() => {
  lines = [];
  answer = () => '';
  files = new FakeCgroups();
  cgroups = new SystemdPodCgroups({
    units: new SystemdUnits({ run, startPatience: () => new AbortController().signal }),
    files,
    facts: { cgroupVersion: 2, systemdVersion: 252 },
    podsRoot: '/kubepods.slice',
  });
});

const failWith = (pattern: RegExp, why: string) => (line: string) => {
  if (pattern.test(line)) throw new AgentError('unknown', why);
  return '';
};

describe('SystemdPodCgroups', () => {
  it('asks systemd for every level from the top, once for those above, and waits for each', async () => {
    await cgroups.ensure(POD);
    const properties = (unit: string, parent: string): string =>
      `7 Description s libcontainer container ${unit} Wants as 1 ${parent} MemoryAccounting b true CPUAccounting b true IOAccounting b true TasksAccounting b true DefaultDependencies b false 0`;
    const start = (unit: string, parent: string): string[] => [
      `busctl -- call ${MANAGER} StartTransientUnit ssa(sv)a(sa(sv)) ${unit} replace ${properties(unit, parent)}`,
      `systemctl start -- ${unit}`,
    ];
    assert.deepEqual(lines, [
      ...start('kubepods.slice', '-.slice'),
      ...start('kubepods-burstable.slice', 'kubepods.slice'),
      ...start('kubepods-burstable-podabc.slice', 'kubepods-burstable.slice'),
    ]);
    assert.ok(files.paths.has(POD));
    lines = [];
    await cgroups.ensure(POD);
    assert.deepEqual(
      lines.filter((line) => line.startsWith('systemctl')),
      ['systemctl start -- kubepods-burstable-podabc.slice'],
    );
  });

  it('is content with a unit that is there, and with nothing less', async () => {
    answer = failWith(/^busctl/, 'Unit kubepods.slice was already loaded or has a fragment file.');
    await cgroups.ensure(TIER);
    assert.ok(lines.every((line) => line.startsWith('busctl')));
    answer = failWith(/^busctl/, 'Access denied');
    await assert.rejects(cgroups.ensure(POD), /Access denied/);
    assert.ok(!files.paths.has(POD));
    answer = failWith(/^systemctl/, 'Job for the unit failed');
    await assert.rejects(cgroups.ensure(POD), /Job for the unit failed/);
  });

  it('sends systemd the values and writes the same, with a quota of whole percents', async () => {
    await cgroups.ensure(POD);
    lines = [];
    const values = { cpuShares: 102, cpuQuotaUs: 10_100, cpuPeriodUs: 100_000, memoryLimitBytes: 1_000_000 };
    assert.deepEqual(await cgroups.apply(POD, values), []);
    assert.deepEqual(lines, [
      `busctl -- call ${MANAGER} SetUnitProperties sba(sv) kubepods-burstable-podabc.slice true 4 MemoryMax t 1000000 CPUWeight t 4 CPUQuotaPeriodUSec t 100000 CPUQuotaPerSecUSec t 110000`,
    ]);
    assert.deepEqual(files.values.get(POD), { ...values, cpuQuotaUs: 11_000 });
  });

  it('reports values that systemd refuses, and writes them to the files anyway', async () => {
    answer = failWith(/SetUnitProperties/, 'no such property');
    const refused = await cgroups.apply(TIER, { cpuShares: 2 });
    assert.deepEqual(refused, [
      { control: 'kubepods-burstable.slice', message: 'no such property', retryable: false },
    ]);
    assert.deepEqual(files.values.get(TIER), { cpuShares: 2 });
  });

  it('stops the unit before the cgroup goes, also one that systemd does not know', async () => {
    await cgroups.ensure(POD);
    lines = [];
    answer = failWith(/stop|reset-failed/, 'Unit kubepods-burstable-podabc.slice not loaded.');
    await cgroups.remove(POD);
    assert.deepEqual(lines, [
      'systemctl stop -- kubepods-burstable-podabc.slice',
      'systemctl reset-failed -- kubepods-burstable-podabc.slice',
    ]);
    assert.ok(!files.paths.has(POD));
    await cgroups.ensure(POD);
    answer = failWith(/stop/, 'Connection timed out');
    await assert.rejects(cgroups.remove(POD), /timed out/);
    assert.ok(files.paths.has(POD), 'the cgroup stays as long as its unit does');
  });

  it('stops no unit outside of the cgroup of all pods', async () => {
    await cgroups.remove('/system.slice').catch(() => {});
    assert.deepEqual(lines, []);
  });
});

describe('requireSystemd', () => {
  it('reads the version, and refuses clearly where systemd does not run', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'systemd-'));
    try {
      answer = () => 'systemd 252 (252.22-1)\n+PAM\n';
      assert.equal(await requireSystemd(run, directory), 252);
      answer = () => 'something else';
      await assert.rejects(requireSystemd(run, directory), /does not report its version/);
      await assert.rejects(
        requireSystemd(run, join(directory, 'none')),
        (error) =>
          hasCode(error, 'failed-precondition') &&
          /cannot use the cgroup driver "systemd": systemd does not run here .* cgroupDriver: cgroupfs/.test(
            String(error),
          ),
      );
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
