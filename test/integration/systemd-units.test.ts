/** Slices on a real message bus: the types of what systemd gets; systemd itself is a fake. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import { toSlicePropertiesOf, toUnitProperties } from '../../src/adapters/systemd/systemd-properties.ts';
import { requireSystemd, SystemdUnits, toUnitBus } from '../../src/adapters/systemd/systemd-units.ts';
import { FakeSystemd } from './fake-systemd.ts';

const UNIT = 'kubepods-podabc.slice';
const facts = { cgroupVersion: 2, systemdVersion: 252 } as const;

describe('SystemdUnits on a message bus', { timeout: 120_000 }, () => {
  it('starts, changes and stops a slice with values of the right types', async () => {
    await using machine = new FakeSystemd();
    await machine.start();
    const connect = toUnitBus(machine.bus);
    assert.equal(await requireSystemd(connect, tmpdir()), 252);
    using units = new SystemdUnits({ clock: new SystemClock(), connect });
    await units.start(UNIT, toSlicePropertiesOf(UNIT, 'kubepods.slice'));
    await units.set(
      UNIT,
      toUnitProperties({ memoryLimitBytes: 2 ** 30, pidsLimit: -1, cpus: '0-2,9' }, facts),
    );
    await units.stop(UNIT);
    await units.stop(UNIT);
    const words = [
      `Description=String:libcontainer container ${UNIT} Wants=s[kubepods.slice]`,
      ...['Memory', 'CPU', 'IO', 'Tasks'].map((what) => `${what}Accounting=Boolean:1`),
      'DefaultDependencies=Boolean:0',
    ];
    assert.deepEqual(machine.lines.slice(1), [
      `${UNIT} ${words.join(' ')}`,
      `${UNIT} MemoryMax=UInt64:1073741824 TasksMax=UInt64:18446744073709551615 AllowedCPUs=y[7,2]`,
    ]);
  });
});
