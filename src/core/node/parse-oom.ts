/**
 * Reads from the lines of the kernel log who was killed for lack of memory.
 * A report begins with `… invoked oom-killer: …` and ends with the line that
 * names the victim. Names of processes are theirs to choose: whatever stands
 * in them, the kernel's own fields are found from the end of the line.
 */

export interface OomKill {
  /** The cgroup that had no memory left; `/` when the machine had none. */
  readonly victimCgroup: string;
  readonly process: string;
  readonly pid: number;
}

/** A report that has begun; undefined between two. */
export type OpenOomReport = { readonly victimCgroup: string } | undefined;

export interface OomStep {
  readonly open: OpenOomReport;
  readonly kill: OomKill | undefined;
}

const MACHINE_CGROUP = '/';

const BEGIN = 'invoked oom-killer:';
const SUMMARY =
  /^oom-kill:constraint=[^,]*,nodemask=.*?,cpuset=.*?,mems_allowed=.*?,oom_memcg=(.*?),task_memcg=.*,task=(.*),pid=(\d+),uid=\d+$/s;
const LEGACY = /^Task in .* killed as a result of limit of (.*)$/s;
const KILLED = /Killed process (\d+),? \((.*)\)/s;

/** One line further. */
export function readOomLine(open: OpenOomReport, line: string): OomStep {
  if (line.includes(BEGIN)) return { open: { victimCgroup: MACHINE_CGROUP }, kill: undefined };
  if (open === undefined) return { open, kill: undefined };
  const summary = SUMMARY.exec(line);
  if (summary !== null) {
    const [, victimCgroup = MACHINE_CGROUP, process = '', pid = ''] = summary;
    return { open: undefined, kill: { victimCgroup, process, pid: Number(pid) } };
  }
  const legacy = LEGACY.exec(line);
  if (legacy !== null) return { open: { victimCgroup: legacy[1] ?? MACHINE_CGROUP }, kill: undefined };
  const killed = KILLED.exec(line);
  if (killed === null) return { open, kill: undefined };
  const [, pid = '', process = ''] = killed;
  return { open: undefined, kill: { ...open, process, pid: Number(pid) } };
}

/** The text of the node's event; undefined when only a cgroup was out of memory. */
export function renderSystemOom({ victimCgroup, process, pid }: OomKill): string | undefined {
  if (victimCgroup !== MACHINE_CGROUP) return undefined;
  const text = 'System OOM encountered';
  return process === '' || pid === 0 ? text : `${text}, victim process: ${process}, pid: ${pid}`;
}
