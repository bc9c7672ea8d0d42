/**
 * The runtime's version as nodes show it: `containerd://1.6.20` also for a
 * distribution's `1.6.20~ds1`.
 */

const SEMANTIC =
  /^\s*v?((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)\s*$/;
/** Two numbers at least; whatever follows the numbers is dropped. */
const GENERIC = /^\s*v?(\d+(?:\.\d+)+)/;

export function renderRuntimeVersion(name: string, version: string | undefined): string {
  const text = version ?? '';
  return `${name}://${SEMANTIC.exec(text)?.[1] ?? toPlainNumbers(GENERIC.exec(text)?.[1]) ?? 'Unknown'}`;
}

function toPlainNumbers(version: string | undefined): string | undefined {
  return version?.split('.').map(Number).join('.');
}
