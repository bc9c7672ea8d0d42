/**
 * Project quotas of the file system that volumes are on, by which the kernel
 * counts what is in each: the ids and the files that say whose they are
 * (`/etc/projects`, `/etc/projid`), which other programs read and write too.
 */
export interface ProjectFiles {
  /** Lines `<id>:<directory>`. */
  readonly projects: string;
  /** Lines `<name>:<id>`. */
  readonly projid: string;
}

const FIRST_ID = 1_048_577;

/** The id of a directory; undefined when it has none. */
export function findProjectId(
  { projects }: Pick<ProjectFiles, 'projects'>,
  directory: string,
): number | undefined {
  for (const line of projects.split('\n')) {
    const [, id, path] = /^(\d+):(.*)$/.exec(line) ?? [];
    if (id !== undefined && path === directory) return Number(id);
  }
  return undefined;
}

/** The first `count` ids that no line has. */
export function listFreeIds({ projects, projid }: ProjectFiles, count: number): number[] {
  const taken = new Set([
    ...[...projects.matchAll(/^(\d+):/gm)].map(([, id]) => Number(id)),
    ...[...projid.matchAll(/^[^#\n][^:\n]*:(\d+)$/gm)].map(([, id]) => Number(id)),
  ]);
  const free: number[] = [];
  for (let id = FIRST_ID; free.length < count; id++) if (!taken.has(id)) free.push(id);
  return free;
}

export function withProject(files: ProjectFiles, id: number, directory: string): ProjectFiles {
  return {
    projects: `${withLineEnd(files.projects)}${id}:${directory}\n`,
    projid: `${withLineEnd(files.projid)}volume${id}:${id}\n`,
  };
}

export function withoutProject(files: ProjectFiles, id: number, directory: string): ProjectFiles {
  const without = (text: string, line: string): string =>
    text
      .split('\n')
      .filter((one) => one !== line)
      .join('\n');
  return {
    projects: without(files.projects, `${id}:${directory}`),
    projid: without(files.projid, `volume${id}:${id}`),
  };
}

/** The first number after the name of the disk; undefined for any other text. */
export function parseQuotaUse(text: string): number | undefined {
  const digits = /^\S*[ \t]+(\d+)/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function hasAccounting(state: string): boolean {
  return state.includes('Accounting: ON');
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
