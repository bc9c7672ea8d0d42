/** Facts about the machine itself for the judges: rights, cgroups, swap, ports, clock, kernel. */
import { parseCgroupLayout } from '../../../adapters/linux/cgroup/cgroup-layout.ts';
import { parseMeminfo } from '../../../adapters/linux/machine/parse-proc.ts';
import { parseMountinfo } from '../../../adapters/linux/mountinfo.ts';
import type { CgroupFacts } from './judge-cgroups.ts';
import type { KernelFacts } from './judge-kernel.ts';
import { LOOKED_AT } from './judge-kernel.ts';
import type { ClockFacts } from './judge-machine.ts';
import type { RightsFacts } from './judge-rights.ts';
import {
  exists,
  findMissingPrograms,
  listMachineNames,
  type MachineView,
  readKernelText,
  readKernelTextNow,
} from './machine-view.ts';

/** What a kubelet calls whatever its pods are. */
const PROGRAMS = ['mount', 'umount', 'flock', 'prlimit', 'losetup'];
/** Programs that set the clock, as they call themselves. */
const TIME_SERVICES = [
  'systemd-timesyn',
  'chronyd',
  'ntpd',
  'ntpsec',
  'openntpd',
  'ptp4l',
  'phc2sys',
  'vmtoolsd',
];
/** No clock is right that is before the kubelet was written. */
const BUILT_MS = Date.UTC(2026, 0, 1);

export async function readRights(machine: MachineView, path: string): Promise<RightsFacts> {
  const status = await readKernelText(machine, 'proc/self/status');
  const [, bits] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  return {
    userId: machine.userId,
    capabilities: bits === undefined ? undefined : BigInt(`0x${bits}`),
    missingPrograms: await findMissingPrograms(PROGRAMS, path),
  };
}

export async function readCgroups(
  machine: MachineView,
): Promise<Pick<CgroupFacts, 'version' | 'controllers' | 'hasSystemd'>> {
  const layout = parseCgroupLayout(parseMountinfo(await readKernelText(machine, 'proc/self/mountinfo')));
  const controllers =
    layout.version === 2
      ? (await readKernelText(machine, 'sys/fs/cgroup/cgroup.controllers')).trim().split(/\s+/)
      : layout.hierarchies.flatMap((one) => one.controllers).filter((name) => !name.startsWith('name='));
  return {
    version: layout.version,
    controllers: controllers.filter((name) => name !== ''),
    hasSystemd: await exists(machine, 'run/systemd/system'),
  };
}

export async function readSwapBytes(machine: MachineView): Promise<number> {
  return parseMeminfo(await readKernelText(machine, 'proc/meminfo')).swapBytes;
}

export async function readClock(machine: MachineView, nowMs: number): Promise<ClockFacts> {
  const hardware = Number(
    (await readKernelText(machine, 'sys/class/rtc/rtc0/since_epoch')).trim() || Number.NaN,
  );
  const service = await findTimeService(machine);
  const isSynchronised =
    service === 'systemd-timesyncd' ? await exists(machine, 'run/systemd/timesync/synchronized') : undefined;
  return {
    nowMs,
    hardwareMs: Number.isFinite(hardware) ? hardware * 1000 : undefined,
    service,
    isSynchronised,
    builtMs: BUILT_MS,
  };
}

async function findTimeService(machine: MachineView): Promise<string | undefined> {
  const pids = (await listMachineNames(machine, 'proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const name = readKernelTextNow(machine, `proc/${pid}/comm`).trim();
    if (TIME_SERVICES.includes(name)) return name === 'systemd-timesyn' ? 'systemd-timesyncd' : name;
  }
  return undefined;
}

export async function readKernel(machine: MachineView): Promise<Omit<KernelFacts, 'config'>> {
  const entries = LOOKED_AT.map(async (name) => {
    const text = (await readKernelText(machine, `proc/sys/${name}`)).trim();
    return [name, /^-?\d+$/.test(text) ? Number(text) : undefined] as const;
  });
  const fileSystems = (await readKernelText(machine, 'proc/filesystems')).split('\n');
  return {
    settings: Object.fromEntries(await Promise.all(entries)),
    fileSystems: fileSystems.map((line) => line.split('\t').at(-1) ?? ''),
    hasSeccomp: /^Seccomp:/m.test(await readKernelText(machine, 'proc/self/status')),
  };
}
