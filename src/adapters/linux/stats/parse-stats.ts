/** The texts of cgroupfs and /proc that hold statistics, taken apart. Pure. */
import type { InterfaceSample } from '../../../core/stats/samples.ts';
import type { PsiData, PsiStats } from '../../../core/stats/summary.ts';

/** Version 1 prints about 2^63 for no limit; no machine has as much. */
const NO_LIMIT = 2 ** 60;

/** The value after `key` in lines such as `key 123`; 0 when there is none. */
export function findNumber(text: string, key: string): number {
  const lineBefore = text.indexOf(`\n${key} `);
  if (lineBefore < 0 && !text.startsWith(`${key} `)) return 0;
  const start = lineBefore + key.length + 2;
  const end = text.indexOf('\n', start);
  return Number(text.slice(start, end < 0 ? text.length : end)) || 0;
}

/** A file with one number; undefined when it is none. */
export function parseNumber(text: string | undefined): number | undefined {
  const word = text?.trim() ?? '';
  return /^\d+$/.test(word) ? Number(word) : undefined;
}

/** The same, and undefined for `max` or as much. */
export function parseLimit(text: string | undefined): number | undefined {
  const limit = parseNumber(text);
  return limit === undefined || limit >= NO_LIMIT ? undefined : limit;
}

const NO_PRESSURE: PsiData = { total: 0, avg10: 0, avg60: 0, avg300: 0 };

/** A file such as `cpu.pressure`; undefined when it says nothing. */
export function parsePressure(text: string | undefined): PsiStats | undefined {
  const [some, full] = [toPressure(text, 'some'), toPressure(text, 'full')];
  if (some === undefined && full === undefined) return undefined;
  return { full: full ?? NO_PRESSURE, some: some ?? NO_PRESSURE };
}

const PRESSURE = 'avg10=([\\d.]+) avg60=([\\d.]+) avg300=([\\d.]+) total=(\\d+)$';
const PRESSURES = { some: new RegExp(`^some ${PRESSURE}`, 'm'), full: new RegExp(`^full ${PRESSURE}`, 'm') };

function toPressure(text: string | undefined, kind: 'some' | 'full'): PsiData | undefined {
  const match = PRESSURES[kind].exec(text ?? '');
  if (match === null) return undefined;
  const [avg10 = 0, avg60 = 0, avg300 = 0, total = 0] = match.slice(1).map(Number);
  return { total, avg10, avg60, avg300 };
}

/** `/proc/<pid>/net/dev`, in the kernel's order. */
export function parseNetDev(text: string): InterfaceSample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, rest] = /^\s*([^\s:]+):\s*(.*)$/.exec(line) ?? [];
    const numbers = rest?.trim().split(/\s+/).map(Number) ?? [];
    const [rxBytes = 0, , rxErrors = 0, , , , , , txBytes = 0, , txErrors = 0] = numbers;
    if (name === undefined || numbers.length < 11 || numbers.some(Number.isNaN)) return [];
    return [{ name, rxBytes, rxErrors, txBytes, txErrors }];
  });
}

/** Processes and threads in `/proc/loadavg`. */
export function parseTasks(text: string): number | undefined {
  return parseNumber(/^\S+ \S+ \S+ \d+\/(\d+)/.exec(text)?.[1]);
}

/** Milliseconds since the epoch, of `/proc/stat`. */
export function parseBootTime(text: string): number | undefined {
  const seconds = parseNumber(/^btime (\d+)$/m.exec(text)?.[1]);
  return seconds === undefined ? undefined : seconds * 1000;
}

/** In bytes, of `/proc/meminfo`. */
export function parseMemoryTotals(text: string): {
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly swapFreeBytes: number;
} {
  const bytesOf = (key: string): number =>
    Number(new RegExp(`^${key}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
  return {
    memoryBytes: bytesOf('MemTotal'),
    swapBytes: bytesOf('SwapTotal'),
    swapFreeBytes: bytesOf('SwapFree'),
  };
}

/** The cgroup in `/proc/<pid>/cgroup`; undefined where version 1 has the process at different places. */
export function parseOwnCgroup(text: string, version: 1 | 2): string | undefined {
  if (version === 2) return /^0::(\/.*)$/m.exec(text)?.[1];
  const pathOf = (controller: string): string | undefined =>
    new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(/.*)$`, 'm').exec(text)?.[1];
  const memory = pathOf('memory');
  return memory === pathOf('cpu') ? memory : undefined;
}
