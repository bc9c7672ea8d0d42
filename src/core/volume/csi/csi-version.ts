/** Which version of the interface is used with a driver. */

export interface CsiVersion {
  readonly numbers: readonly number[];
  readonly text: string;
}

/** The highest version of major 1 among those a driver offers; undefined when there is none. */
export function chooseCsiVersion(offered: readonly string[]): CsiVersion | undefined {
  const known = offered
    .flatMap((text) => parseVersion(text) ?? [])
    .filter(({ numbers }) => (numbers[0] ?? 0) <= 1);
  const highest = known.toSorted(compareVersions).at(-1);
  return highest?.numbers[0] === 1 ? highest : undefined;
}

/** Negative when `a` is the older one. */
export function compareVersions(a: CsiVersion, b: CsiVersion): number {
  const length = Math.max(a.numbers.length, b.numbers.length);
  for (let i = 0; i < length; i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A leading `v` and anything after the numbers are ignored; fewer than two numbers are not a version. */
function parseVersion(text: string): CsiVersion | undefined {
  const [, digits] = /^\s*v?(\d+(?:\.\d+)+)/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return { text, numbers: digits.split('.').map(Number) };
}
