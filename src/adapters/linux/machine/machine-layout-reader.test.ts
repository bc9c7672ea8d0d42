import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { SAMPLE_MACHINE_NAMES, sampleMachine, toSysFiles } from '../../../../test/samples/sample-machines.ts';
import type { MachineLayout } from '../../../core/cpus/machine-layout.ts';
import { readMachineLayout } from './machine-layout-reader.ts';

async function readFrom(files: Iterable<readonly [string, string]>): Promise<MachineLayout> {
  const sys = await mkdtemp(join(tmpdir(), 'sys-'));
  try {
    for (const [path, content] of files) {
      await mkdir(dirname(join(sys, path)), { recursive: true });
      await writeFile(join(sys, path), content);
    }
    return await readMachineLayout({
      sys,
      memoryBytes: 4096,
      hugepages: [{ pageBytes: 1024, totalBytes: 2048 }],
    });
  } finally {
    await rm(sys, { recursive: true });
  }
}

const cpuFile = (cpu: number, file: string, content: string) =>
  [`devices/system/cpu/cpu${cpu}/${file}`, content] as const;

describe('readMachineLayout', () => {
  for (const name of SAMPLE_MACHINE_NAMES)
    it(`reads the machine "${name}"`, async () => {
      const machine = sampleMachine(name);
      assert.deepEqual(await readFrom(toSysFiles(machine)), machine);
    });

  it('takes a machine that says nothing for one core with all the memory', async () => {
    assert.deepEqual(await readFrom([]), {
      cpus: [{ cpu: 0, core: 0, socket: 0, node: 0, cache: 0 }],
      nodes: [{ id: 0, memoryBytes: 4096, hugepages: [{ pageBytes: 1024, count: 2 }], distances: [] }],
    });
  });

  it('believes no numbers that cannot be', async () => {
    const { cpus, nodes } = await readFrom([
      ['devices/system/cpu/online', '0-1'],
      cpuFile(0, 'topology/physical_package_id', '-1'),
      cpuFile(0, 'topology/thread_siblings_list', '0-4294967295'),
      cpuFile(1, 'topology/physical_package_id', 'seven'),
      cpuFile(1, 'topology/core_cpus_list', '1,9'),
      ['devices/system/node/node2/cpulist', '1'],
      ['devices/system/node/node2/meminfo', 'nonsense'],
      ['devices/system/node/node2/distance', '10 x'],
      ['devices/system/node/node2/hugepages/hugepages-2048kB/nr_hugepages', '-3'],
      ['devices/system/node/node5/cpulist', '1-2'],
      ['devices/system/node/nodex/cpulist', '0'],
    ]);
    assert.deepEqual(cpus, [
      { cpu: 0, core: 0, socket: 0, node: 2, cache: 0 },
      { cpu: 1, core: 1, socket: 0, node: 2, cache: 0 },
    ]);
    assert.deepEqual(nodes[0], {
      id: 2,
      memoryBytes: 0,
      hugepages: [{ pageBytes: 2 * 2 ** 20, count: 0 }],
      distances: [],
    });
  });

  it('counts only threads that are on to a core', async () => {
    const { cpus } = await readFrom([
      ['devices/system/cpu/online', '1-2'],
      cpuFile(1, 'topology/core_cpus_list', '0-1'),
      cpuFile(2, 'topology/core_cpus_list', '2-3'),
    ]);
    assert.deepEqual(
      cpus.map(({ core }) => core),
      [1, 2],
    );
  });
});
