/** Sets of CPUs and their text, the kernel's list format: `0-3,8`. */

export type CpuSet = ReadonlySet<number>;

export const NO_CPUS: CpuSet = new Set();

/** No machine has a CPU with a higher number; text that says so is not believed. */
const HIGHEST_CPU = 65_535;

export function toCpuSet(cpus: Iterable<number>): CpuSet {
  return new Set(cpus);
}

/** Undefined for text that is no list of CPUs; empty text is the empty set. */
export function parseCpuSet(text: string): CpuSet | undefined {
  const cpus = new Set<number>();
  if (text.trim() === '') return cpus;
  for (const part of text.trim().split(',')) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part);
    if (match === null) return undefined;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first || last > HIGHEST_CPU) return undefined;
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return cpus;
}

/** Ascending, runs of two and more as `first-last`. */
export function renderCpuSet(cpus: CpuSet): string {
  const runs: [first: number, last: number][] = [];
  for (const cpu of ascending(cpus)) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === cpu - 1) run[1] = cpu;
    else runs.push([cpu, cpu]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

export function ascending(cpus: Iterable<number>): number[] {
  return [...cpus].sort((a, b) => a - b);
}

export function isSameCpuSet(a: CpuSet, b: CpuSet): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}
