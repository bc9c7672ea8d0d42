/**
 * Counts the processes of a cgroup, what they have open and how much of that
 * are sockets. A pod may have any number of both, so no more than a bounded
 * number of them is looked at.
 */
import { opendirSync, readlinkSync } from 'node:fs';
import type { TaskDetails } from '../../../core/stats/cgroup-details.ts';
import { parseMaxOpenFiles } from './parse-details.ts';
import { parseNumber } from './parse-stats.ts';
import { readControl } from './read-control.ts';

/** Per cgroup. */
const MAX_PROCESSES = 1000;
const MAX_DESCRIPTORS = 4000;

export interface TaskPlaces {
  readonly proc: string;
  /** Where `cgroup.procs` is. */
  readonly processes: string | undefined;
  /** Where `pids.current` is. */
  readonly pids: string | undefined;
}

/** `ofMachine`: the limit shown is that of the first process of the machine. */
export function countTasks({ proc, processes, pids }: TaskPlaces, ofMachine: boolean): TaskDetails {
  const list = processes === undefined ? [] : listProcesses(`${processes}/cgroup.procs`);
  const { descriptors, sockets } = countDescriptors(proc, list);
  const first = ofMachine ? 1 : findLowest(list);
  const readPids = (file: string): number | undefined =>
    pids === undefined ? undefined : parseNumber(readControl(`${pids}/${file}`));
  return {
    processes: list.length,
    descriptors,
    sockets,
    threads: readPids('pids.current') ?? 0,
    maxThreads: readPids('pids.max') ?? 0,
    maxOpenFiles:
      first === undefined ? undefined : parseMaxOpenFiles(readControl(`${proc}/${first}/limits`) ?? ''),
  };
}

function listProcesses(file: string): number[] {
  return (readControl(file) ?? '')
    .split('\n')
    .filter((line) => /^[1-9]\d*$/.test(line))
    .map(Number);
}

/** One by one: there may be more than one call takes as arguments. */
function findLowest(list: readonly number[]): number | undefined {
  return list.length === 0 ? undefined : list.reduce((lowest, one) => Math.min(lowest, one));
}

function countDescriptors(
  proc: string,
  processes: readonly number[],
): { readonly descriptors: number; readonly sockets: number } {
  let descriptors = 0;
  let sockets = 0;
  for (const pid of processes.slice(0, MAX_PROCESSES)) {
    if (descriptors >= MAX_DESCRIPTORS) break;
    const found = lookAt(`${proc}/${pid}/fd`, MAX_DESCRIPTORS - descriptors);
    descriptors += found.descriptors;
    sockets += found.sockets;
  }
  return { descriptors, sockets };
}

/** A process that has gone meanwhile has nothing open. */
function lookAt(path: string, atMost: number): { readonly descriptors: number; readonly sockets: number } {
  let descriptors = 0;
  let sockets = 0;
  try {
    const directory = opendirSync(path, { bufferSize: 128 });
    try {
      for (
        let entry = directory.readSync();
        entry !== null && descriptors < atMost;
        entry = directory.readSync()
      ) {
        descriptors++;
        if (isSocket(`${path}/${entry.name}`)) sockets++;
      }
    } finally {
      directory.closeSync();
    }
  } catch {
    return { descriptors, sockets };
  }
  return { descriptors, sockets };
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith('socket:');
  } catch {
    return false;
  }
}
