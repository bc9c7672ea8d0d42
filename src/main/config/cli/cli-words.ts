/** The words of a sub-command that are no flags: the kind of what is meant, and names. Pure. */
import { renderGuess } from '../../../core/manifest/field/suggest-name.ts';
import { type Verb, verbEntry } from './cli-verbs.ts';

/** What `get` lists, with the words for each; the first is its name. */
const KINDS = {
  pods: ['pod', 'po'],
  events: ['event', 'ev'],
  resources: ['resource'],
  images: ['image'],
  volumes: ['volume', 'vol'],
  nodes: ['node', 'no'],
  configmaps: ['configmap', 'cm'],
  secrets: ['secret'],
} as const;
export type GetKind = keyof typeof KINDS;

const KIND_OF: ReadonlyMap<string, GetKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, words]) => [kind, ...words].map((word) => [word, kind as GetKind])),
);
/** Other ways to say the same. */
const KIND_VERBS: Readonly<Partial<Record<GetKind, Verb>>> = {
  events: 'events',
  resources: 'resources',
  images: 'images',
};

/** What is wrong with them, or undefined. */
export function checkWords(
  verb: Verb,
  words: readonly string[],
  command: readonly string[],
): string | undefined {
  const names = toSubjectWords(verb, words);
  if (verb === 'get' && toKind(words) === undefined) return refuseKind(words[0]);
  const kind = toKind(words);
  if (verb === 'get' && kind !== 'pods' && kind !== 'events' && names.length > 0)
    return `all ${kind} are listed, not ${JSON.stringify(names[0])}`;
  const { bounds, missing = 'name a pod', words: choices } = verbEntry(verb);
  const [least, most] = bounds;
  const [first = ''] = names;
  if (names.length < least) return missing;
  if (verb === 'top' && !choices.includes(first))
    return `only pods, containers and the node can be shown, not ${JSON.stringify(first)}`;
  if (verb === 'config' && !choices.includes(first))
    return `only diff is shown, not ${JSON.stringify(first)}`;
  if (verb === 'completion' && !choices.includes(first))
    return `there are completions for bash, zsh and fish, not for ${JSON.stringify(first)}`;
  if (verb === 'images' && names.length > 0) {
    if (!choices.includes(first)) return `all images are listed, not ${JSON.stringify(first)}`;
    if (names.length === 1)
      return first === 'pull' ? 'name an image: images pull IMAGE' : 'name an archive: images load FILE';
  }
  if (names.length > most) return refuseMore(verb, names);
  if (verb === 'exec' && command.length === 0) return 'name a command after "--"';
  if (verb !== 'exec' && command.length > 0) return 'nothing comes after "--" here';
  return undefined;
}

function refuseKind(word: string | undefined): string {
  const known = Object.keys(KINDS);
  if (word === undefined) return `name what to get: ${renderWords(known, 'or')}`;
  return `only ${renderWords(known, 'and')} can be listed, not ${JSON.stringify(word)}${renderGuess(word, known)}`;
}

/** `a, b and c`. */
export function renderWords(words: readonly string[], last: 'and' | 'or'): string {
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

function refuseMore(verb: Verb, names: readonly string[]): string {
  if (verb === 'exec') return `the command comes after "--", got ${JSON.stringify(names[1])}`;
  const got = names.map((name) => JSON.stringify(name)).join(' ');
  return verbEntry(verb).words === 'pods' || verb === 'get'
    ? `one pod at a time, got ${got}`
    : `too many words, got ${got}`;
}

/** Undefined when the first word names no kind. */
export function toKind([first = '']: readonly string[]): GetKind | undefined {
  const [kind = ''] = first.split('/');
  return KIND_OF.get(kind);
}

/** `get events` is another way to say `events`. */
export function toVerb(verb: Verb, words: readonly string[]): Verb {
  const kind = toKind(words);
  return verb === 'get' && kind !== undefined ? (KIND_VERBS[kind] ?? verb) : verb;
}

/** Without the word for the kind: `pod web`, `pod/web` and `web` are the same pod. */
export function toSubjectWords(verb: Verb, words: readonly string[]): string[] {
  const { words: choices, bounds } = verbEntry(verb);
  if (choices === 'files') return [...words];
  if (verb === 'top') return toTopWords(words);
  const [first = '', ...rest] = words;
  const [kind = '', ...name] = first.split('/');
  const isKind = verb === 'get' ? KIND_OF.has(kind) : KIND_OF.get(kind) === 'pods';
  if (isKind && name.length > 0) return [name.join('/'), ...rest];
  const takesKind =
    verb === 'get' || verb === 'describe' || ((bounds[1] === 1 || verb === 'restart') && rest.length > 0);
  return takesKind && isKind ? rest : [...words];
}

const TOP_WORDS: ReadonlyMap<string, string> = new Map([
  ['pod', 'pods'],
  ['po', 'pods'],
  ['container', 'containers'],
  ['nodes', 'node'],
  ['no', 'node'],
]);

function toTopWords([subject = '', ...rest]: readonly string[]): string[] {
  return subject === '' ? [] : [TOP_WORDS.get(subject) ?? subject, ...rest];
}
