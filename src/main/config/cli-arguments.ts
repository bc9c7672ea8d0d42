/**
 * The sub-commands and their flags, read from the command line. Words and
 * flags are those of kubectl; what the local socket cannot do does not exist.
 * Pure: a problem is an answer, and the caller prints it.
 */

import { parseDurationNanos } from '../../base/go-duration.ts';
import { renderGuess } from '../../core/manifest/field/suggest-name.ts';
import { DEFAULT_ROOT_DIR } from './local-socket.ts';

export const VERBS = [
  'get',
  'describe',
  'explain',
  'logs',
  'events',
  'exec',
  'attach',
  'port-forward',
  'images',
] as const;
export type Verb = (typeof VERBS)[number];

export type OutputFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name';

export interface CliOptions {
  /** Absent when none was named. */
  readonly rootDir?: string;
  readonly socket?: string;
  /** Absent when none was named: then `default` comes first, but is not insisted on. */
  readonly namespace?: string;
  readonly allNamespaces: boolean;
  readonly output: OutputFormat;
  readonly watch: boolean;
  readonly noHeaders: boolean;
  readonly container?: string;
  readonly follow: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly stdin: boolean;
  readonly tty: boolean;
  /** Of images: those that nothing uses; those that a collection would delete. */
  readonly unused: boolean;
  readonly plan: boolean;
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

interface CliFlag {
  readonly name: string;
  readonly short?: string;
  readonly takesValue?: true;
  readonly about: string;
  /** All of them without. */
  readonly verbs?: readonly Verb[];
}

export const CLI_FLAGS: readonly CliFlag[] = [
  { name: 'namespace', short: 'n', takesValue: true, about: 'the namespace of the pod' },
  {
    name: 'all-namespaces',
    short: 'A',
    about: 'pods of every namespace',
    verbs: ['get', 'events', 'explain'],
  },
  {
    name: 'output',
    short: 'o',
    takesValue: true,
    about: 'json, yaml, wide or name',
    verbs: ['get', 'describe', 'events', 'explain', 'images'],
  },
  { name: 'watch', short: 'w', about: 'go on with every change', verbs: ['get', 'events'] },
  { name: 'no-headers', about: 'without the line of titles', verbs: ['get', 'events', 'images'] },
  {
    name: 'container',
    short: 'c',
    takesValue: true,
    about: 'the container',
    verbs: ['logs', 'exec', 'attach'],
  },
  { name: 'follow', short: 'f', about: 'go on with what is written', verbs: ['logs'] },
  { name: 'tail', takesValue: true, about: 'so many lines from the end; -1 for all', verbs: ['logs'] },
  { name: 'since', takesValue: true, about: 'no older than this, such as 5m', verbs: ['logs'] },
  { name: 'previous', short: 'p', about: 'of the instance before this one', verbs: ['logs'] },
  { name: 'timestamps', about: 'each line with its time', verbs: ['logs'] },
  { name: 'stdin', short: 'i', about: 'pass standard input on', verbs: ['exec', 'attach'] },
  { name: 'tty', short: 't', about: 'standard input is a terminal', verbs: ['exec', 'attach'] },
  { name: 'unused', about: 'only those that nothing uses', verbs: ['images'] },
  { name: 'plan', about: 'only those that a collection would delete now, in its order', verbs: ['images'] },
  {
    name: 'root-dir',
    takesValue: true,
    about: `the root directory of the kubelet (default: $KUBELET_ROOT_DIR, that of the only kubelet that runs, or ${DEFAULT_ROOT_DIR})`,
  },
  { name: 'socket', takesValue: true, about: 'its local socket, where it is not in the root directory' },
  { name: 'help', short: 'h', about: 'this text' },
];

const USAGES: Readonly<Record<Verb, string>> = {
  get: 'kubelet get pods [POD] [-o wide|json|yaml|name] [-w] [-n NAMESPACE | -A]',
  describe: 'kubelet describe pod POD',
  explain: 'kubelet explain [POD] [-o json|yaml]',
  logs: 'kubelet logs POD [-c CONTAINER] [-f] [--tail N] [-p] [--timestamps]',
  events: 'kubelet events [POD] [-w] [-o json|yaml]',
  exec: 'kubelet exec POD [-c CONTAINER] [-it] -- COMMAND [ARGUMENT...]',
  attach: 'kubelet attach POD [-c CONTAINER] [-it]',
  'port-forward': 'kubelet port-forward POD [LOCAL_PORT:]POD_PORT...',
  images: 'kubelet images [--unused | --plan] [-o json|yaml]',
};

export function isVerb(word: string | undefined): word is Verb {
  return (VERBS as readonly string[]).includes(word ?? '');
}

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
  const command = end === -1 ? [] : argv.slice(end + 1);
  const problem = checkWords(verb, words, command);
  if (problem !== undefined) return { kind: 'usage', verb, problem };
  // `get events` is another way to say `events`.
  const isEvents = verb === 'get' && EVENT_WORDS.has(words[0] ?? '');
  return { kind: 'command', verb: isEvents ? 'events' : verb, words: toNames(verb, words), command, options };
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

/** For the help of the program. */
export function renderVerbUsages(): string[] {
  return VERBS.map((verb) => USAGES[verb]);
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
  const tail = values.get('tail');
  if (tail !== undefined && !/^(-1|\d{1,15})$/.test(tail))
    return `invalid number of lines ${JSON.stringify(tail)}: want a whole number, or -1 for all`;
  const since = values.get('since');
  const sinceNanos = since === undefined ? undefined : parseDurationNanos(since);
  if (since !== undefined && (sinceNanos === undefined || sinceNanos <= 0n))
    return `invalid duration ${JSON.stringify(since)}: want such as 30s or 5m`;
  const has = (name: string): boolean => values.has(name);
  const texts = {
    rootDir: values.get('root-dir'),
    socket: values.get('socket'),
    namespace: values.get('namespace'),
    container: values.get('container'),
  };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    allNamespaces: has('all-namespaces'),
    output: (output ?? 'table') as OutputFormat,
    watch: has('watch'),
    noHeaders: has('no-headers'),
    follow: has('follow'),
    ...(tail === undefined || tail === '-1' ? {} : { tailLines: Number(tail) }),
    ...(sinceNanos === undefined
      ? {}
      : { sinceSeconds: Number((sinceNanos + 999_999_999n) / 1_000_000_000n) }),
    previous: has('previous'),
    timestamps: has('timestamps'),
    stdin: has('stdin'),
    tty: has('tty'),
    unused: has('unused'),
    plan: has('plan'),
  };
}

const POD_WORDS: ReadonlySet<string> = new Set(['pod', 'pods', 'po']);
const EVENT_WORDS: ReadonlySet<string> = new Set(['event', 'events', 'ev']);

function checkWords(verb: Verb, words: readonly string[], command: readonly string[]): string | undefined {
  const names = toNames(verb, words);
  if (verb === 'get' && !isKnownResource(words[0]))
    return words.length === 0
      ? 'name what to get: pods'
      : `only pods and events can be listed, not ${JSON.stringify(words[0])}`;
  const [least, most] = verb === 'port-forward' ? [2, Number.POSITIVE_INFINITY] : BOUNDS[verb];
  if (names.length < least) return verb === 'port-forward' ? 'name a pod and its ports' : 'name a pod';
  if (verb === 'images' && names.length > 0) return `all images are listed, not ${JSON.stringify(names[0])}`;
  if (names.length > most)
    return verb === 'exec'
      ? `the command comes after "--", got ${JSON.stringify(names[1])}`
      : `one pod at a time, got ${names.map((name) => JSON.stringify(name)).join(' ')}`;
  if (verb === 'exec' && command.length === 0) return 'name a command after "--"';
  if (verb !== 'exec' && command.length > 0) return 'nothing comes after "--" here';
  return undefined;
}

const BOUNDS: Readonly<Record<Exclude<Verb, 'port-forward'>, readonly [number, number]>> = {
  get: [0, 1],
  describe: [1, 1],
  explain: [0, 1],
  logs: [1, 1],
  events: [0, 1],
  exec: [1, 1],
  attach: [1, 1],
  images: [0, 0],
};

function isKnownResource(word: string | undefined): boolean {
  const [kind = ''] = (word ?? '').split('/');
  return POD_WORDS.has(kind) || EVENT_WORDS.has(word ?? '');
}

/** Without the word for the kind: `pod web`, `pod/web` and `web` are the same pod. */
function toNames(verb: Verb, words: readonly string[]): string[] {
  const [first = '', ...rest] = words;
  const [kind = '', ...name] = first.split('/');
  if (POD_WORDS.has(kind) && name.length > 0) return [name.join('/'), ...rest];
  const takesKind = verb === 'get' || verb === 'describe' || (verb === 'explain' && rest.length > 0);
  return takesKind && (POD_WORDS.has(first) || EVENT_WORDS.has(first)) ? rest : [...words];
}
