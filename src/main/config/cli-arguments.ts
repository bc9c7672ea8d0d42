/**
 * The sub-commands and their flags, read from the command line. Words and
 * flags are those of kubectl; what the local socket cannot do does not exist.
 * Pure: a problem is an answer, and the caller prints it.
 */

import { parseDurationNanos } from '../../base/text/go-duration.ts';
import type { LabelSelector } from '../../core/api/label-selector.ts';
import { renderGuess } from '../../core/manifest/field/suggest-name.ts';
import { CLI_FLAGS, type CliFlag } from './cli-flags.ts';
import { USAGES, type Verb } from './cli-verbs.ts';
import { parseSelector } from './parse-selector.ts';

export type OutputFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name';

export interface CliOptions {
  /** Absent when none was named. */
  readonly rootDir?: string;
  readonly socket?: string;
  /** Absent when none was named: then `default` comes first, but is not insisted on. */
  readonly namespace?: string;
  readonly allNamespaces: boolean;
  readonly output: OutputFormat;
  readonly selector: LabelSelector | undefined;
  readonly watch: boolean;
  readonly noHeaders: boolean;
  readonly container?: string;
  readonly follow: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly allContainers: boolean;
  readonly prefix: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly stdin: boolean;
  readonly tty: boolean;
  /** Of images: those that nothing uses; those that a collection would delete. */
  readonly unused: boolean;
  readonly plan: boolean;
  /** Of explain: who would be evicted. */
  readonly eviction: boolean;
  /** Of top. */
  readonly sortBy?: 'cpu' | 'memory';
}

export interface CliArguments {
  readonly kind: 'command';
  readonly verb: Verb;
  readonly words: readonly string[];
  /** What comes after `--`. */
  readonly command: readonly string[];
  readonly options: CliOptions;
}

export type ParsedCli =
  | CliArguments
  | { readonly kind: 'help'; readonly verb: Verb }
  | { readonly kind: 'usage'; readonly verb: Verb; readonly problem: string };

/** `argv` begins with the verb. */
export function parseCliArguments(verb: Verb, argv: readonly string[]): ParsedCli {
  const values = new Map<string, string>();
  const words: string[] = [];
  const end = argv.indexOf('--');
  const own = [...(end === -1 ? argv : argv.slice(0, end))];
  for (let word = own.shift(); word !== undefined; word = own.shift()) {
    if (!word.startsWith('-') || word === '-') words.push(word);
    else {
      const problem = word.startsWith('--')
        ? takeLong(verb, word, own, values)
        : takeShort(verb, word, own, values);
      if (problem !== undefined) return { kind: 'usage', verb, problem };
    }
  }
  if (values.has('help')) return { kind: 'help', verb };
  const options = toOptions(values);
  if (typeof options === 'string') return { kind: 'usage', verb, problem: options };
  const file = values.get('filename');
  if (file !== undefined) words.unshift(file);
  const command = end === -1 ? [] : argv.slice(end + 1);
  const problem = checkWords(verb, words, command);
  if (problem !== undefined) return { kind: 'usage', verb, problem };
  return { kind: 'command', verb: toVerb(verb, words[0]), words: toNames(verb, words), command, options };
}

/** `get events` is another way to say `events`, `get resources` to say `resources`. */
function toVerb(verb: Verb, word = ''): Verb {
  if (verb !== 'get') return verb;
  if (EVENT_WORDS.has(word)) return 'events';
  return word === RESOURCE_WORD ? 'resources' : verb;
}

export function renderCliHelp(verb: Verb): string {
  const flags = CLI_FLAGS.filter(({ verbs }) => verbs?.includes(verb) ?? true);
  const left = flags.map(({ name, short }) => `  ${short === undefined ? '   ' : `-${short},`} --${name}`);
  const width = Math.max(...left.map(({ length }) => length));
  const lines = flags.map(({ about }, index) => `${(left[index] ?? '').padEnd(width)}   ${about}`);
  const names =
    'POD is a name, NAMESPACE/NAME, a UID, or the name of a static pod without the name of the node.';
  return ['Usage:', `  ${USAGES[verb]}`, '', names, '', 'Flags:', ...lines, ''].join('\n');
}

function findFlag(verb: Verb, matches: (flag: CliFlag) => boolean): CliFlag | undefined {
  return CLI_FLAGS.find((flag) => matches(flag) && (flag.verbs?.includes(verb) ?? true));
}

function takeLong(verb: Verb, word: string, rest: string[], values: Map<string, string>): string | undefined {
  const [name = '', ...given] = word.slice(2).split('=');
  const flag = findFlag(verb, (candidate) => candidate.name === name);
  if (flag === undefined) {
    const known = CLI_FLAGS.filter(({ verbs }) => verbs?.includes(verb) ?? true).map((one) => one.name);
    return `unknown flag: --${name}${renderGuess(name, known, '--')}`;
  }
  const value = given.length > 0 ? given.join('=') : flag.takesValue ? rest.shift() : 'true';
  if (value === undefined) return `flag needs an argument: --${name}`;
  if (!flag.takesValue && value !== 'true' && value !== 'false')
    return `invalid argument ${JSON.stringify(value)} for "--${name}" flag: want true or false`;
  if (value === 'false' && !flag.takesValue) values.delete(name);
  else values.set(name, value);
  return undefined;
}

/** `-it`, `-n kube-system`, `-nkube-system`. */
function takeShort(
  verb: Verb,
  word: string,
  rest: string[],
  values: Map<string, string>,
): string | undefined {
  for (let at = 1; at < word.length; at++) {
    const letter = word.charAt(at);
    const flag = findFlag(verb, ({ short }) => short === letter);
    if (flag === undefined) return `unknown shorthand flag: ${JSON.stringify(letter)} in ${word}`;
    if (!flag.takesValue) {
      values.set(flag.name, 'true');
      continue;
    }
    const value = word.slice(at + 1).replace(/^=/, '') || rest.shift();
    if (value === undefined) return `flag needs an argument: -${letter}`;
    values.set(flag.name, value);
    return undefined;
  }
  return undefined;
}

const OUTPUTS: readonly string[] = ['json', 'yaml', 'wide', 'name'];

/** A text says what is wrong. */
function toOptions(values: ReadonlyMap<string, string>): CliOptions | string {
  const output = values.get('output');
  if (output !== undefined && !OUTPUTS.includes(output))
    return `unknown output format ${JSON.stringify(output)}: want ${OUTPUTS.join(', ')}`;
  const labels = values.get('selector');
  const selector = labels === undefined ? undefined : parseSelector(labels);
  if (labels !== undefined && selector === undefined)
    return `invalid selector ${JSON.stringify(labels)}: want such as app=web,tier!=db`;
  const tail = values.get('tail');
  if (tail !== undefined && !/^(-1|\d{1,15})$/.test(tail))
    return `invalid number of lines ${JSON.stringify(tail)}: want a whole number, or -1 for all`;
  const since = values.get('since');
  const sinceNanos = since === undefined ? undefined : parseDurationNanos(since);
  if (since !== undefined && (sinceNanos === undefined || sinceNanos <= 0n))
    return `invalid duration ${JSON.stringify(since)}: want such as 30s or 5m`;
  const sortBy = values.get('sort-by');
  if (sortBy !== undefined && sortBy !== 'cpu' && sortBy !== 'memory')
    return `unknown order ${JSON.stringify(sortBy)}: want cpu or memory`;
  const has = (name: string): boolean => values.has(name);
  const texts = {
    rootDir: values.get('root-dir'),
    socket: values.get('socket'),
    namespace: values.get('namespace'),
    container: values.get('container'),
    sortBy,
  };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    allNamespaces: has('all-namespaces'),
    output: (output ?? 'table') as OutputFormat,
    selector,
    watch: has('watch'),
    noHeaders: has('no-headers'),
    follow: has('follow'),
    ...(tail === undefined || tail === '-1' ? {} : { tailLines: Number(tail) }),
    ...(sinceNanos === undefined
      ? {}
      : { sinceSeconds: Number((sinceNanos + 999_999_999n) / 1_000_000_000n) }),
    allContainers: has('all-containers'),
    prefix: has('prefix'),
    previous: has('previous'),
    timestamps: has('timestamps'),
    stdin: has('stdin'),
    tty: has('tty'),
    unused: has('unused'),
    plan: has('plan'),
    eviction: has('eviction'),
  };
}

const POD_WORDS: ReadonlySet<string> = new Set(['pod', 'pods', 'po']);
const EVENT_WORDS: ReadonlySet<string> = new Set(['event', 'events', 'ev']);
const RESOURCE_WORD = 'resources';

function checkWords(verb: Verb, words: readonly string[], command: readonly string[]): string | undefined {
  const names = toNames(verb, words);
  if (verb === 'get' && !isKnownResource(words[0]))
    return words.length === 0
      ? 'name what to get: pods'
      : `only pods, events and resources can be listed, not ${JSON.stringify(words[0])}`;
  const [least, most] = verb === 'port-forward' ? [2, Number.POSITIVE_INFINITY] : BOUNDS[verb];
  if (names.length < least) return MISSING[verb] ?? 'name a pod';
  if (verb === 'top' && !TOP_SUBJECTS.has(names[0] ?? ''))
    return `only pods, containers and the node can be shown, not ${JSON.stringify(names[0])}`;
  if (verb === 'images' && names.length > 0) return `all images are listed, not ${JSON.stringify(names[0])}`;
  if (names.length > most)
    return verb === 'exec'
      ? `the command comes after "--", got ${JSON.stringify(names[1])}`
      : `one pod at a time, got ${names.map((name) => JSON.stringify(name)).join(' ')}`;
  if (verb === 'exec' && command.length === 0) return 'name a command after "--"';
  if (verb !== 'exec' && command.length > 0) return 'nothing comes after "--" here';
  return undefined;
}

const MISSING: Readonly<Partial<Record<Verb, string>>> = {
  'port-forward': 'name a pod and its ports',
  validate: 'name a manifest',
  top: 'name what to show: pods, containers or node',
};

const BOUNDS: Readonly<Record<Exclude<Verb, 'port-forward'>, readonly [number, number]>> = {
  get: [0, 1],
  describe: [1, 1],
  explain: [0, 1],
  logs: [1, 1],
  events: [0, 1],
  exec: [1, 1],
  attach: [1, 1],
  validate: [1, Number.POSITIVE_INFINITY],
  images: [0, 0],
  resources: [0, 0],
  top: [1, 2],
};

const TOP_SUBJECTS: ReadonlySet<string> = new Set(['pods', 'containers', 'node']);
const TOP_WORDS: ReadonlyMap<string, string> = new Map([
  ...[...POD_WORDS].map((word) => [word, 'pods'] as const),
  ['container', 'containers'],
  ['nodes', 'node'],
  ['no', 'node'],
]);

function toTopWords([subject = '', ...rest]: readonly string[]): string[] {
  return subject === '' ? [] : [TOP_WORDS.get(subject) ?? subject, ...rest];
}

function isKnownResource(word: string | undefined): boolean {
  const [kind = ''] = (word ?? '').split('/');
  return POD_WORDS.has(kind) || EVENT_WORDS.has(word ?? '') || word === RESOURCE_WORD;
}

/** Without the word for the kind: `pod web`, `pod/web` and `web` are the same pod. */
function toNames(verb: Verb, words: readonly string[]): string[] {
  if (verb === 'validate') return [...words];
  if (verb === 'top') return toTopWords(words);
  const [first = '', ...rest] = words;
  const [kind = '', ...name] = first.split('/');
  if (POD_WORDS.has(kind) && name.length > 0) return [name.join('/'), ...rest];
  const takesKind = verb === 'get' || verb === 'describe' || (verb === 'explain' && rest.length > 0);
  return takesKind && (POD_WORDS.has(first) || EVENT_WORDS.has(first) || first === RESOURCE_WORD)
    ? rest
    : [...words];
}
