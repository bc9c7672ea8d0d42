/**
 * The sub-commands and their flags, read from the command line. Words and
 * flags are those of kubectl; what the local socket cannot do does not exist.
 * Pure: a problem is an answer, and the caller prints it.
 */
import { renderGuess } from '../../../core/manifest/field/suggest-name.ts';
import { checkOptions } from './check-options.ts';
import { type CliFlag, flagsOf } from './cli-flags.ts';
import { type CliOptions, toOptions } from './cli-options.ts';
import type { Verb } from './cli-verbs.ts';
import { checkWords, type GetKind, toKind, toSubjectWords, toVerb } from './cli-words.ts';

export interface CliArguments {
  readonly kind: 'command';
  readonly verb: Verb;
  /** What `get` lists. */
  readonly subject: GetKind;
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
  words.unshift(...readRepeated(values, 'filename'));
  const command = end === -1 ? [] : argv.slice(end + 1);
  const problem = checkOptions(verb, toKind(words), options) ?? checkWords(verb, words, command);
  if (problem !== undefined) return { kind: 'usage', verb, problem };
  return {
    kind: 'command',
    verb: toVerb(verb, words),
    subject: toKind(words) ?? 'pods',
    words: toSubjectWords(verb, words),
    command,
    options,
  };
}

function findFlag(verb: Verb, matches: (flag: CliFlag) => boolean): CliFlag | undefined {
  return flagsOf(verb).find(matches);
}

function takeLong(verb: Verb, word: string, rest: string[], values: Map<string, string>): string | undefined {
  const [name = '', ...given] = word.slice(2).split('=');
  const flag = findFlag(verb, (candidate) => candidate.name === name);
  if (flag === undefined) {
    const known = flagsOf(verb).map((one) => one.name);
    return `unknown flag: --${name}${renderGuess(name, known, '--')}`;
  }
  const value = given.length > 0 ? given.join('=') : flag.takesValue ? rest.shift() : 'true';
  if (value === undefined) return `flag needs an argument: --${name}`;
  if (!flag.takesValue && value !== 'true' && value !== 'false')
    return `invalid argument ${JSON.stringify(value)} for "--${name}" flag: want true or false`;
  if (value === 'false' && !flag.takesValue) values.delete(name);
  else put(values, flag, value);
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
    put(values, flag, value);
    return undefined;
  }
  return undefined;
}

/** No argument of a process holds one. */
const BETWEEN = '\0';

function put(values: Map<string, string>, { name, repeats }: CliFlag, value: string): void {
  const before = repeats ? values.get(name) : undefined;
  values.set(name, before === undefined ? value : `${before}${BETWEEN}${value}`);
}

function readRepeated(values: ReadonlyMap<string, string>, name: string): string[] {
  return values.get(name)?.split(BETWEEN) ?? [];
}
