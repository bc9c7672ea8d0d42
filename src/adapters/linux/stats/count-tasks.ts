/**
 * Counts the processes of a cgroup, what they have open and how much of that
 * are sockets. A pod may have any number of both, so no more than a bounded
 * number of them is looked at.
 */
import { opendirSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import type { TaskDetails, TaskLimits } from '../../../core/stats/cgroup-details.ts';
import type { Descriptors } from './descriptor-memory.ts';
import { parseMaxOpenFiles } from './parse-details.ts';
import { parseNumber } from './parse-stats.ts';
import { readBeginning, readControl } from './read-control.ts';

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

/** Counts what the given processes have open. */
export type CountDescriptors = (processes: string, count: () => Descriptors) => Descriptors;

/** `descriptorsOf` may remember, for the text of `cgroup.procs`, what was counted before. */
export function countTasks(
  { proc, processes, pids }: TaskPlaces,
  descriptorsOf: CountDescriptors = (_, count) => count(),
): TaskDetails {
  const text = readProcesses(processes);
  const list = parseProcesses(text);
  const { descriptors, sockets } = descriptorsOf(text, () => countDescriptors(proc, list));
  return { processes: list.length, descriptors, sockets, threads: readNumber(pids, 'pids.current') ?? 0 };
}

/** `ofMachine`: the limit of files is that of the first process of the machine. */
export function readTaskLimits({ proc, processes, pids }: TaskPlaces, ofMachine: boolean): TaskLimits {
  const first = ofMachine ? 1 : findLowest(parseProcesses(readProcesses(processes)));
  return {
    threads: readNumber(pids, 'pids.max') ?? 0,
    openFiles:
      first === undefined ? undefined : parseMaxOpenFiles(readControl(`${proc}/${first}/limits`) ?? ''),
  };
}

function readNumber(directory: string | undefined, file: string): number | undefined {
  return directory === undefined ? undefined : parseNumber(readControl(`${directory}/${file}`));
}

function readProcesses(directory: string | undefined): string {
  return (directory === undefined ? undefined : readBeginning(`${directory}/cgroup.procs`)) ?? '';
}

function parseProcesses(text: string): number[] {
  return text
    .split('\n')
    .filter((line) => /^[1-9]\d*$/.test(line))
    .map(Number);
}

/** One by one: there may be more than one call takes as arguments. */
function findLowest(list: readonly number[]): number | undefined {
  return list.length === 0 ? undefined : list.reduce((lowest, one) => Math.min(lowest, one));
}

function countDescriptors(proc: string, processes: readonly number[]): Descriptors {
  let descriptors = 0;
  let sockets = 0;
  for (const pid of processes.slice(0, MAX_PROCESSES)) {
    if (descriptors >= MAX_DESCRIPTORS) break;
    const path = `${proc}/${pid}/fd`;
    for (const name of listDescriptors(path, MAX_DESCRIPTORS - descriptors)) {
      descriptors++;
      if (isSocket(`${path}/${name}`)) sockets++;
    }
  }
  return { descriptors, sockets };
}

/** A process that has gone meanwhile has nothing open. */
function listDescriptors(path: string, atMost: number): readonly string[] {
  try {
    // Since Linux 6.2 this directory says how many there are; one call lists them then.
    const { size } = statSync(path);
    return size > 0 && size <= atMost ? readdirSync(path).slice(0, atMost) : listFirst(path, atMost);
  } catch {
    return [];
  }
}

function listFirst(path: string, atMost: number): readonly string[] {
  const names: string[] = [];
  const directory = opendirSync(path, { bufferSize: 128 });
  try {
    let entry = directory.readSync();
    for (; entry !== null && names.length < atMost; entry = directory.readSync()) names.push(entry.name);
  } finally {
    directory.closeSync();
  }
  return names;
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith('socket:');
  } catch {
    return false;
  }
}
