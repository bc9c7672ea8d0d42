import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { FakeCgroups } from '../../../test/fakes/fake-cgroups.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { AgentError, type AgentErrorCode, hasCode } from '../../base/errors.ts';
import { SystemdPodCgroups } from './systemd-pod-cgroups.ts';
import { requireSystemd, SystemdUnits, type UnitBus } from './systemd-units.ts';

const TIER = '/kubepods.slice/kubepods-burstable.slice';
const POD = `${TIER}/kubepods-burstable-podabc.slice`;

let lines: string[];
let answer: (line: string) => unknown;
let files: FakeCgroups;
let cgroups: SystemdPodCgroups;
let loss: AbortController;
let connections: number;

/** Systemd as the bus shows it: every line is the name of a method or property and what it was given. */
const connect = async (): Promise<UnitBus> => {
  connections++;
  loss = new AbortController();
  return {
    lost: loss.signal,
    call: async (_object, member, _signature, body) => ask(`${member} ${body.join(' ')}`),
    readProperty: async ({ path }, name) => ask(`${name} ${path.slice(path.lastIndexOf('/') + 1)}`),
    [Symbol.dispose]: () => {},
  };
};

const ask = (line: string): unknown => {
  lines.push(line);
  return answer(line);
};

/** A unit is active as soon as it was started, and inactive once it was stopped. */
const obey = (line: string): string =>
  line.startsWith('ActiveState') && lines.some((before) => before.startsWith('StopUnit'))
    ? 'inactive'
    : 'active';

beforeEach(() => {
  lines = [];
  connections = 0;
  answer = obey;
  files = new FakeCgroups();
  const { kill } = files;
  files.kill = (path) => {
    lines.push(`kill ${path.slice(path.lastIndexOf('/') + 1)}`);
    return kill.call(files, path);
  };
  cgroups = new SystemdPodCgroups({
    units: new SystemdUnits({
      clock: new FakeClock(),
      connect,
      patience: () => new AbortController().signal,
    }),
    files,
    facts: { cgroupVersion: 2, systemdVersion: 252 },
    podsRoot: '/kubepods.slice',
  });
});

const failWith =
  (pattern: RegExp, why: string, code: AgentErrorCode = 'unknown') =>
  (line: string): unknown => {
    if (pattern.test(line)) throw new AgentError(code, why);
    return obey(line);
  };

describe('SystemdPodCgroups', () => {
  it('asks systemd for every level from the top, once for those above, and waits for each', async () => {
    await cgroups.ensure(POD);
    const properties = (unit: string, parent: string): string =>
      `Description,s,libcontainer container ${unit},Wants,as,${parent},MemoryAccounting,b,true,CPUAccounting,b,true,IOAccounting,b,true,TasksAccounting,b,true,DefaultDependencies,b,false `;
    const start = (unit: string, parent: string): string[] => [
      `StartTransientUnit ${unit} replace ${properties(unit, parent)}`,
      `ActiveState ${unit.replaceAll('-', '_2d').replace('.', '_2e')}`,
    ];
    assert.deepEqual(lines, [
      ...start('kubepods.slice', '-.slice'),
      ...start('kubepods-burstable.slice', 'kubepods.slice'),
      ...start('kubepods-burstable-podabc.slice', 'kubepods-burstable.slice'),
    ]);
    assert.ok(files.paths.has(POD));
    lines = [];
    await cgroups.ensure(POD);
    assert.deepEqual(lines.map((line) => line.slice(0, line.indexOf('.slice') + 6)).slice(0, 1), [
      'StartTransientUnit kubepods-burstable-podabc.slice',
    ]);
    assert.equal(connections, 1);
    loss.abort();
    await cgroups.ensure(POD);
    assert.equal(connections, 2);
  });

  it('asks for all levels again, and reports it, when those above were removed meanwhile', async () => {
    assert.equal((await cgroups.ensure(POD)).hadParent, false);
    assert.equal((await cgroups.ensure(POD)).hadParent, true);
    files.paths.clear();
    lines = [];
    assert.deepEqual(await cgroups.ensure(POD), { warnings: [], hadParent: false });
    assert.deepEqual(
      lines.filter((line) => line.startsWith('Start')).map((line) => line.split(' ')[1]),
      ['kubepods.slice', 'kubepods-burstable.slice', 'kubepods-burstable-podabc.slice'],
    );
  });

  it('is content with a unit that is there, and with nothing less', async () => {
    answer = failWith(/^Start/, 'Unit kubepods.slice was already loaded', 'already-exists');
    await cgroups.ensure(TIER);
    assert.ok(lines.every((line) => line.startsWith('Start')));
    answer = failWith(/^Start/, 'Access denied');
    await assert.rejects(
      cgroups.ensure(POD),
      /^AgentError: cannot start "kubepods-burstable.slice": Access denied$/,
    );
    assert.ok(!files.paths.has(POD));
    answer = (line) => (line.startsWith('ActiveState') ? 'failed' : '');
    await assert.rejects(cgroups.ensure(POD), /cannot start "kubepods-burstable.slice": it has failed/);
  });

  it('sends systemd the values and writes the same, with a quota of whole percents', async () => {
    await cgroups.ensure(POD);
    lines = [];
    const values = { cpuShares: 102, cpuQuotaUs: 10_100, cpuPeriodUs: 100_000, memoryLimitBytes: 1_000_000 };
    assert.deepEqual(await cgroups.apply(POD, values), []);
    assert.deepEqual(lines, [
      'SetUnitProperties kubepods-burstable-podabc.slice true MemoryMax,t,1000000,CPUWeight,t,4,CPUQuotaPeriodUSec,t,100000,CPUQuotaPerSecUSec,t,110000',
    ]);
    assert.deepEqual(files.values.get(POD), { ...values, cpuQuotaUs: 11_000 });
  });

  it('reports values that systemd refuses, and writes them to the files anyway', async () => {
    answer = failWith(/SetUnitProperties/, 'no such property');
    const refused = await cgroups.apply(TIER, { cpuShares: 2 });
    assert.deepEqual(refused, [
      {
        control: 'systemd',
        message: 'cannot change "kubepods-burstable.slice": no such property',
        retryable: false,
      },
    ]);
    assert.deepEqual(files.values.get(TIER), { cpuShares: 2 });
  });

  it('fails, and writes nothing, where systemd is not reached', async () => {
    for (const code of ['unavailable', 'deadline-exceeded'] as const) {
      answer = failWith(/SetUnitProperties/, 'no answer', code);
      await assert.rejects(cgroups.apply(TIER, { cpuShares: 2 }), (error) => hasCode(error, code));
    }
    assert.equal(files.values.has(TIER), false);
  });

  it('asks once more over another connection when the first is lost', async () => {
    let losses = 1;
    answer = (line) => {
      if (!/^(Set|Stop|Reset)/.test(line) || losses-- <= 0) return obey(line);
      loss.abort();
      throw new AgentError('unavailable', 'the connection is lost');
    };
    assert.deepEqual(await cgroups.apply(TIER, { cpuShares: 2 }), []);
    assert.equal(connections, 2);
    losses = 2;
    await assert.rejects(cgroups.apply(TIER, { cpuShares: 2 }), /the connection is lost/);
    losses = 1;
    await cgroups.ensure(POD);
    await cgroups.remove(POD);
    assert.ok(!files.paths.has(POD));
  });

  it('opens no connection any more once it has ended', async () => {
    const units = new SystemdUnits({ clock: new FakeClock(), connect });
    answer = () => {
      units[Symbol.dispose]();
      loss.abort();
      throw new AgentError('unavailable', 'the connection is lost');
    };
    await assert.rejects(units.stop('a.slice'), /the connection is lost/);
    assert.equal(connections, 1);
  });

  it('is content with a failed unit that is gone before it is reset', async () => {
    await cgroups.ensure(POD);
    answer = (line) => {
      if (line.startsWith('Reset')) throw new AgentError('not-found', 'not loaded');
      return line.startsWith('ActiveState') ? 'failed' : '';
    };
    await cgroups.remove(POD);
    assert.ok(!files.paths.has(POD));
  });

  it('kills what is left, then stops the unit before the cgroup goes, also one that systemd does not know', async () => {
    await cgroups.ensure(POD);
    lines = [];
    await cgroups.remove(POD);
    assert.deepEqual(lines, [
      'kill kubepods-burstable-podabc.slice',
      'StopUnit kubepods-burstable-podabc.slice replace',
      'ActiveState kubepods_2dburstable_2dpodabc_2eslice',
    ]);
    assert.ok(!files.paths.has(POD));
    lines = [];
    await cgroups.ensure(POD);
    answer = (line) => (line.startsWith('ActiveState') ? 'failed' : '');
    await cgroups.remove(POD);
    assert.equal(lines.at(-1), 'ResetFailedUnit kubepods-burstable-podabc.slice');
    answer = failWith(/^Stop/, 'Unit kubepods-burstable-podabc.slice not loaded.', 'not-found');
    await cgroups.remove(POD);
    lines = [];
    answer = obey;
    await cgroups.ensure(POD);
    answer = failWith(/^Stop/, 'Connection timed out');
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
      answer = () => '252.22-1~deb12u1';
      assert.equal(await requireSystemd(connect, directory), 252);
      answer = () => undefined;
      await assert.rejects(requireSystemd(connect, directory), /does not report its version/);
      answer = failWith(/Version/, 'no bus');
      await assert.rejects(
        requireSystemd(connect, directory),
        /^AgentError: cannot use the cgroup driver "systemd": no bus$/,
      );
      await assert.rejects(
        requireSystemd(connect, join(directory, 'none')),
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
