/** The kernel's table of network interfaces as a process of a cgroup sees it. Reads at once. */
import { readBeginning, readControl } from './read-control.ts';

/** A cgroup and where its `cgroup.procs` is. */
export interface CgroupPlace {
  readonly cgroup: string;
  readonly directory: string | undefined;
}

/** Empty when the cgroup has no process. */
export function readNetDev(proc: string, of: 'machine' | CgroupPlace): string {
  if (of === 'machine') return readTable(proc, '1');
  const processes = of.directory && readBeginning(`${of.directory}/cgroup.procs`);
  // One outside our PID namespace reads as 0.
  const pid = /^([1-9]\d*)$/m.exec(processes ?? '')?.[1];
  if (pid === undefined) return '';
  const found = readTable(proc, pid);
  // The number may have gone to another process meanwhile.
  const cgroups = readControl(`${proc}/${pid}/cgroup`) ?? '';
  return cgroups.split('\n').some((line) => line.endsWith(of.cgroup)) ? found : '';
}

function readTable(proc: string, pid: string): string {
  return readBeginning(`${proc}/${pid}/net/dev`) ?? '';
}
