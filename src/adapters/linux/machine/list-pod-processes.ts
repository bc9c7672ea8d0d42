/**
 * The processes of pods, found by their cgroups: those of both versions and of both drivers name the pod and the
 * container. What a process calls itself is its own word, and cut short.
 */
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface PodProcess {
  readonly pid: number;
  readonly parentPid: number;
  /** Its arguments, or its name in brackets where it has none; any text. */
  readonly command: string;
  readonly podUid: string;
  /** Of a container, or of the sandbox. */
  readonly containerId: string;
  /** Below the root of the hierarchy. */
  readonly cgroup: string;
}

const MAX_COMMAND_BYTES = 200;
/**
 * A pod's UID, with the underscores that systemd needs, and the id of a container below it. The outermost: what lies
 * below that container is made and named by the container.
 */
const POD_CGROUP =
  /^\d+:[^:]*:(?<cgroup>\/.*?pod(?<uid>[0-9a-f]{32}|[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12})(?:\.slice)?\/(?:[a-z-]*-)?(?<id>[0-9a-f]{64})(?:\.scope)?)(?:\/|$)/m;

/** Processes that end meanwhile are left out. */
export async function listPodProcesses(processes = '/proc'): Promise<PodProcess[]> {
  const found: PodProcess[] = [];
  for (const name of await readdir(processes)) {
    if (!/^\d{1,10}$/.test(name)) continue;
    const process = await readProcess(join(processes, name), Number(name)).catch(() => undefined);
    if (process !== undefined) found.push(process);
  }
  return found.sort((a, b) => a.pid - b.pid);
}

async function readProcess(directory: string, pid: number): Promise<PodProcess | undefined> {
  const place = parsePodCgroup(await readFile(join(directory, 'cgroup'), 'utf8'));
  if (place === undefined) return undefined;
  const stat = await readFile(join(directory, 'stat'), 'utf8');
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  const parentPid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  const command = await readStart(join(directory, 'cmdline'));
  return { pid, parentPid, command: command === '' ? `[${name}]` : command, ...place };
}

/** What `/proc/PID/cgroup` says; undefined for a process of no pod. */
export function parsePodCgroup(
  text: string,
): Pick<PodProcess, 'podUid' | 'containerId' | 'cgroup'> | undefined {
  const { cgroup, uid, id } = POD_CGROUP.exec(text)?.groups ?? {};
  if (cgroup === undefined || uid === undefined || id === undefined) return undefined;
  return { cgroup, podUid: uid.replaceAll('_', '-'), containerId: id };
}

/** The first arguments: the whole may be as long as the process likes. */
async function readStart(path: string): Promise<string> {
  await using handle = await open(path);
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(MAX_COMMAND_BYTES), 0, MAX_COMMAND_BYTES);
  return buffer.toString('utf8', 0, bytesRead).replace(/\0+$/, '').replaceAll('\0', ' ');
}
