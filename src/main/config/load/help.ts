/**
 * What `--help` and `--version` print. Pure text from the flag table.
 */
import { renderVerbUsages } from '../cli-arguments.ts';
import { describeFeatureGates } from '../features.ts';
import { ALL_FLAGS, type FlagSpec } from '../flag-table.ts';
import type { FlagType } from '../flag-values.ts';
import type { JsonValue } from '../json-value.ts';
import { AGENT_VERSION, KUBERNETES_VERSION, REPORTED_VERSION } from '../version.ts';

const DESCRIPTION = `The kubelet is the node agent of Kubernetes. It runs on every node, takes pods from the API server, from
files or from a URL, and makes the containers they describe run and stay healthy through the container
runtime interface (CRI).

Settings come from flags, then drop-in files (--config-dir), then the file of --config, then defaults.`;

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

/** The whole help text, ending in a newline. */
export function renderHelp(_columns?: number): string {
  const left = ALL_FLAGS.map(flagColumn);
  const width = Math.max(...left.map((text) => text.length));
  const lines = ALL_FLAGS.map((flag, index) => `${(left[index] ?? '').padEnd(width)}   ${aboutColumn(flag)}`);
  const gates = describeFeatureGates().map((line) => `  ${line}`);
  return [
    DESCRIPTION,
    '',
    'Usage:',
    '  kubelet [flags]',
    ...renderVerbUsages().map((usage) => `  ${usage}`),
    '',
    'The sub-commands ask the kubelet that runs on this host, over the socket in its --root-dir.',
    '',
    'Flags:',
    ...lines,
    '',
    'Feature gates:',
    ...gates,
    '',
  ].join('\n');
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

function flagColumn(flag: FlagSpec): string {
  const names =
    flag.shorthand === undefined ? `      --${flag.name}` : `  -${flag.shorthand}, --${flag.name}`;
  const word = TYPE_WORDS[flag.type] ?? flag.type;
  return word === '' ? names : `${names} ${word}`;
}

function aboutColumn(flag: FlagSpec): string {
  const value = isZero(flag.default) ? '' : ` (default ${renderDefault(flag.default)})`;
  const deprecated = flag.deprecated === undefined ? '' : ` (DEPRECATED: ${flag.deprecated})`;
  return `${flag.about}${value}${deprecated}`;
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
