/** `kubelet man`: the manual page in roff, from the tables of commands and flags. Pure. */
import { CLI_FLAGS, flagsOf } from '../cli/cli-flags.ts';
import { VERBS, type Verb, verbEntry } from '../cli/cli-verbs.ts';
import { POD_NAMES } from '../cli/render-cli-help.ts';
import { ALL_FLAGS, type FlagSpec } from '../flag-table.ts';
import { AGENT_VERSION } from '../version.ts';
import { aboutColumn, DESCRIPTION, flagColumn, groupOf, SUB_COMMANDS } from './help.ts';

export function renderManPage(): string {
  const shared = CLI_FLAGS.filter(({ verbs }) => verbs === undefined);
  const common = shared.map(({ name }) => name);
  const lines = [
    `.TH KUBELET 1 "" "kubelet-ts ${AGENT_VERSION}" "User Commands"`,
    '.SH NAME',
    'kubelet \\- the node agent of Kubernetes',
    '.SH SYNOPSIS',
    ...synopsis('[flags]'),
    ...VERBS.flatMap((verb) => synopsis(verbEntry(verb).usage)),
    '.SH DESCRIPTION',
    ...DESCRIPTION.flatMap((text) => [toRoff(text), '.PP']),
    toRoff(SUB_COMMANDS),
    '.SH COMMANDS',
    toRoff(POD_NAMES),
    ...VERBS.flatMap((verb) => describeVerb(verb, common)),
    '.SH FLAGS OF MOST COMMANDS',
    ...shared.flatMap(describeFlag),
    '.SH FLAGS OF THE AGENT',
    toRoff('[-] has no effect yet.'),
    ...ALL_FLAGS.filter((flag) => groupOf(flag) === 'own').flatMap(describeAgentFlag),
    '.PP',
    toRoff('Deprecated flags are listed by kubelet --help; settings belong into the file of --config.'),
    '.SH ENVIRONMENT',
    ...item('KUBELET_ROOT_DIR', 'The root directory of the kubelet that the commands ask.'),
    '.SH EXIT STATUS',
    toRoff('0, 1 when it did not work, 2 for a command line that is none, and that of the command for exec.'),
  ];
  return `${lines.join('\n')}\n`;
}

function synopsis(usage: string): string[] {
  return [`\\fBkubelet\\fR ${toRoff(usage)}`, '.br'];
}

function describeVerb(verb: Verb, common: readonly string[]): string[] {
  const { about, usage } = verbEntry(verb);
  const own = flagsOf(verb).filter(({ name }) => !common.includes(name));
  return [
    `.SS ${verb}`,
    `\\fBkubelet ${toRoff(usage)}\\fR`,
    '.br',
    toRoff(`${about}.`),
    ...own.flatMap(describeFlag),
  ];
}

function describeFlag({
  name,
  short,
  about,
}: {
  readonly name: string;
  readonly short?: string;
  readonly about: string;
}): string[] {
  return item(short === undefined ? `--${name}` : `-${short}, --${name}`, about);
}

function describeAgentFlag(flag: FlagSpec): string[] {
  return item(flagColumn(flag).trim(), aboutColumn(flag));
}

function item(title: string, text: string): string[] {
  return ['.TP', `\\fB${toRoff(title)}\\fR`, toRoff(text)];
}

/** A hyphen that can be copied; a dot or quote at the start of a line would be a request. */
function toRoff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');
}
