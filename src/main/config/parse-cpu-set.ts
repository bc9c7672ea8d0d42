/**
 * CPU lists in the Linux form ("0-3,7"), as `reservedSystemCPUs` and the kernel's files use them.
 */

/** The CPU numbers in ascending order without repetition, or `undefined` when the text is malformed. */
export function parseCpuSet(text: string): readonly number[] | undefined {
  if (text.trim() === '') return [];
  const cpus = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^\s*(\d{1,6})(?:-(\d{1,6}))?\s*$/.exec(part);
    if (match === null) return undefined;
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    if (last < first) return undefined;
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}
