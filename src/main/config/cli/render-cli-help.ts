/** `kubelet COMMAND --help`, from the tables of commands and flags. Pure. */
import { flagsOf } from './cli-flags.ts';
import { type Verb, verbEntry } from './cli-verbs.ts';

export const POD_NAMES =
  'POD is a name, NAMESPACE/NAME, a UID, or the name of a static pod without the name of the node.';

export function renderCliHelp(verb: Verb): string {
  const { about, usage } = verbEntry(verb);
  const flags = flagsOf(verb);
  const left = flags.map(({ name, short }) => `  ${short === undefined ? '   ' : `-${short},`} --${name}`);
  const width = Math.max(...left.map(({ length }) => length));
  const lines = flags.map((flag, index) => `${(left[index] ?? '').padEnd(width)}   ${flag.about}`);
  const names = usage.includes('POD') ? [POD_NAMES, ''] : [];
  const title = `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
  return [title, '', 'Usage:', `  kubelet ${usage}`, '', ...names, 'Flags:', ...lines, ''].join('\n');
}
