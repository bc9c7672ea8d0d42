/**
 * What `--help` and `--version` print. Pure text from the flag table.
 */
import { wrapText } from '../../../base/text/wrap-text.ts';
import { renderVerbUsages } from '../cli/cli-verbs.ts';
import { describeFeatureGates } from '../features.ts';
import { ALL_FLAGS, type FlagSpec } from '../flag-table.ts';
import type { FlagType } from '../flag-values.ts';
import { HONOURED_FIELDS, HONOURED_FLAGS } from '../honoured-fields.ts';
import type { JsonValue } from '../json-value.ts';
import { AGENT_VERSION, KUBERNETES_VERSION, REPORTED_VERSION } from '../version.ts';

export const DESCRIPTION: readonly string[] = [
  'The kubelet is the node agent of Kubernetes. It runs on every node, takes pods from the API server, from files or from a URL, and makes the containers they describe run and stay healthy through the container runtime interface (CRI).',
  'Settings come from flags, then drop-in files (--config-dir), then the file of --config, then defaults.',
];

export const SUB_COMMANDS =
  'The sub-commands ask the kubelet that runs on this host, over the socket in its --root-dir. That is the one named by --root-dir or KUBELET_ROOT_DIR, or the only one that runs. `kubelet COMMAND --help` has the flags of one.';

/** Behind a flag that is read and checked but does nothing. */
const NO_EFFECT = '[-]';

const TYPE_WORDS: Readonly<Partial<Record<FlagType, string>>> = {
  bool: '',
  strings: 'strings',
  map: 'key=value,...',
  singlePairMap: 'key=value',
  langleMap: 'signal<value,...',
  boolMap: 'Gate=bool,...',
  multimap: 'Name:value,...',
  labels: 'key=value,...',
  taints: 'key=value:Effect,...',
  reservedMemory: 'numa:type=quantity;...',
  vmodule: 'pattern=N,...',
  version: 'version[=true]',
};

/** Of a terminal, and of what is no terminal. */
const [LEAST_COLUMNS, MOST_COLUMNS, USUAL_COLUMNS] = [60, 120, 100];
const INDENT = '  ';
const LEFT_COLUMNS = 38;

/** The whole help text, ending in a newline, in lines that fit `columns`. */
export function renderHelp(columns = USUAL_COLUMNS): string {
  const width = Math.min(MOST_COLUMNS, Math.max(LEAST_COLUMNS, columns));
  const paragraph = (text: string, indent = ''): string[] =>
    wrapText(text, width - indent.length).map((line) => `${indent}${line}`);
  const of = (wanted: FlagGroup): string[] =>
    ALL_FLAGS.filter((flag) => groupOf(flag) === wanted).flatMap((flag) => renderFlag(flag, width));
  const ignored = ALL_FLAGS.filter((flag) => groupOf(flag) === 'ignored').map(({ name }) => `--${name}`);
  return [
    ...DESCRIPTION.flatMap((text) => [...paragraph(text), '']),
    'Usage:',
    '  kubelet [flags]',
    ...renderVerbUsages().map((usage) => `  ${usage}`),
    '',
    ...paragraph(SUB_COMMANDS),
    '',
    'Flags:',
    ...of('own'),
    '',
    ...paragraph('Settings of the file of --config as flags; all are deprecated in favour of the file:'),
    ...of('config'),
    '',
    'Other deprecated flags:',
    ...of('deprecated'),
    '',
    ...paragraph(`${NO_EFFECT} has no effect yet. Accepted for compatibility and ignored, as upstream:`),
    ...paragraph(ignored.join(' '), INDENT),
    '',
    'Feature gates (--feature-gates), with their stage and default:',
    ...paragraph(describeFeatureGates().join(', '), INDENT),
    '',
  ].join('\n');
}

export type FlagGroup = 'own' | 'config' | 'deprecated' | 'ignored';

export function groupOf({ target, deprecated }: FlagSpec): FlagGroup {
  if (target.kind === 'ignored') return 'ignored';
  if (deprecated === undefined) return 'own';
  return target.kind === 'config' ? 'config' : 'deprecated';
}

function renderFlag(flag: FlagSpec, width: number): string[] {
  const left = flagColumn(flag);
  const [first = '', ...rest] = wrapText(aboutColumn(flag), width - LEFT_COLUMNS);
  const margin = ' '.repeat(LEFT_COLUMNS);
  const below = rest.map((line) => `${margin}${line}`);
  if (left.length < LEFT_COLUMNS - 1) return [`${left.padEnd(LEFT_COLUMNS)}${first}`, ...below];
  return [left, `${margin}${first}`, ...below];
}

/** The line of `--version`. */
export function renderVersion(reported: string = REPORTED_VERSION): string {
  return `Kubernetes ${reported}\n`;
}

/** The parts of the version, for `--version=raw`. */
export function renderRawVersion(): string {
  const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');
  const parts = {
    major,
    minor,
    gitVersion: REPORTED_VERSION,
    agentVersion: AGENT_VERSION,
    node: process.version,
  };
  return `version.Info${JSON.stringify(parts)}\n`;
}

export function flagColumn(flag: FlagSpec): string {
  const names =
    flag.shorthand === undefined ? `      --${flag.name}` : `  -${flag.shorthand}, --${flag.name}`;
  const word = TYPE_WORDS[flag.type] ?? flag.type;
  return word === '' ? names : `${names} ${word}`;
}

export function aboutColumn(flag: FlagSpec): string {
  const value = isZero(flag.default) ? '' : ` (default ${renderDefault(flag.default)})`;
  return `${flag.about}${value}${isHonoured(flag) ? '' : ` ${NO_EFFECT}`}`;
}

function isHonoured({ target }: FlagSpec): boolean {
  if (target.kind === 'config') return HONOURED_FIELDS.has(target.path);
  return target.kind !== 'process' || HONOURED_FLAGS.has(target.key);
}

function renderDefault(value: JsonValue): string {
  return Array.isArray(value)
    ? `[${value.join(',')}]`
    : typeof value === 'string'
      ? JSON.stringify(value)
      : `${value}`;
}

function isZero(value: JsonValue): boolean {
  if (typeof value === 'object') return Object.keys(value ?? {}).length === 0;
  return (
    value === false || value === '' || value === 0 || value === '0s' || value === '0' || value === 'false'
  );
}
