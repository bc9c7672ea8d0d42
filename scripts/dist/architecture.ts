/** The processors we build for, by the names that Node and Debian have for them. */
export type Architecture = 'x64' | 'arm64';

export const DEBIAN_NAMES: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Throws for one that we do not build for. */
export function toArchitecture(name: string): Architecture {
  if (name !== 'x64' && name !== 'arm64') throw new Error(`unknown processor "${name}"; known: x64 arm64`);
  return name;
}
