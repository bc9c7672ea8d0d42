/**
 * The command line: a pflag-style parser over one list of all flags.
 * First step of loading; its result is applied twice (over defaults, and again over the loaded files) as
 * data, so the argv is parsed once.
 * Invariants: every wrong flag is reported, not only the first; a bool never consumes the next argument.
 */
import { renderGuess } from '../../core/manifest/field/suggest-name.ts';
import { CONFIG_FLAGS } from './config-flags.ts';
import { ALL_FLAGS, type FlagSpec } from './flag-table.ts';
import { parseFlagValue } from './flag-values.ts';
import type { JsonValue } from './json-value.ts';
import type { ConfigPath } from './kubelet-configuration.ts';
import { PROCESS_FLAGS, type ProcessFlags } from './process-flags.ts';
import { adviseRemovedFlag } from './removed-flags.ts';

export interface ParsedFlags {
  readonly process: ProcessFlags;
  /** Fields set on the command line, with their final flag value. */
  readonly configValues: ReadonlyMap<ConfigPath, JsonValue>;
  /** Final value of every flag that was given, by flag name. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** Names of all flags that were given, in order of first use. */
  readonly given: readonly string[];
  readonly help: boolean;
  /** Text of --version, absent when it was not given. */
  readonly version?: string;
  readonly positionals: readonly string[];
  readonly problems: readonly string[];
  /** One `Flag --x has been deprecated, …` line per deprecated flag that was given. */
  readonly deprecations: readonly string[];
}

const BY_NAME: ReadonlyMap<string, FlagSpec> = new Map(ALL_FLAGS.map((flag) => [flag.name, flag]));
const BY_SHORTHAND: ReadonlyMap<string, FlagSpec> = new Map(
  ALL_FLAGS.flatMap((flag) => (flag.shorthand === undefined ? [] : [[flag.shorthand, flag]])),
);

/** Parses the arguments after the program name. Never throws: problems are part of the result. */
export function parseFlags(argv: readonly string[]): ParsedFlags {
  const reader = new ArgumentReader(argv);
  reader.read();
  return reader.result();
}

/** What was meant, or what replaces a flag that older kubelets had. */
function hintAt(name: string): string {
  const advice = adviseRemovedFlag(name);
  return advice === undefined ? renderGuess(name, [...BY_NAME.keys()], '--') : ` (${advice})`;
}

class ArgumentReader {
  readonly #rest: string[];
  readonly #values = new Map<string, JsonValue>();
  readonly #given = new Set<string>();
  readonly #positionals: string[] = [];
  readonly #problems: string[] = [];

  constructor(argv: readonly string[]) {
    this.#rest = [...argv];
  }

  read(): void {
    for (let word = this.#rest.shift(); word !== undefined; word = this.#rest.shift()) {
      if (word === '--') {
        this.#positionals.push(...this.#rest.splice(0));
      } else if (word.startsWith('--')) {
        this.#readLong(word);
      } else if (word.startsWith('-') && word.length > 1) {
        this.#readShort(word);
      } else {
        this.#positionals.push(word);
      }
    }
  }

  #readLong(word: string): void {
    const at = word.indexOf('=');
    const written = at < 0 ? word.slice(2) : word.slice(2, at);
    const flag = BY_NAME.get(written.replaceAll('_', '-'));
    if (written === '' || written.startsWith('-')) {
      this.#problems.push(`bad flag syntax: ${word}`);
    } else if (flag === undefined) {
      this.#problems.push(`unknown flag: --${written}${hintAt(written.replaceAll('_', '-'))}`);
    } else {
      const attached = at < 0 ? undefined : word.slice(at + 1);
      this.#set(flag, attached ?? this.#impliedOrNext(flag, `flag needs an argument: --${flag.name}`));
    }
  }

  /** A cluster of one-letter flags: `-h`, `-v4`, `-v=4`, `-v 4`, `-hv4`. */
  #readShort(word: string): void {
    let letters = word.slice(1);
    while (letters !== '') {
      const letter = letters.charAt(0);
      const flag = BY_SHORTHAND.get(letter);
      if (flag === undefined) {
        this.#problems.push(`unknown shorthand flag: '${letter}' in -${letters}`);
        return;
      }
      const after = letters.slice(1);
      if (after.startsWith('=')) {
        this.#set(flag, after.slice(1));
        return;
      }
      if (flag.type !== 'bool') {
        const missing = `flag needs an argument: '${letter}' in -${letters}`;
        this.#set(flag, after === '' ? this.#impliedOrNext(flag, missing) : after);
        return;
      }
      this.#set(flag, 'true');
      letters = after;
    }
  }

  #impliedOrNext(flag: FlagSpec, missing: string): string | undefined {
    if (flag.type === 'bool' || flag.type === 'version') return 'true';
    const next = this.#rest.shift();
    if (next === undefined) this.#problems.push(missing);
    return next;
  }

  #set(flag: FlagSpec, text: string | undefined): void {
    if (text === undefined) return;
    this.#given.add(flag.name);
    const parsed = parseFlagValue(flag.type, text, this.#values.get(flag.name));
    if ('problem' in parsed) {
      const shown = flag.shorthand === undefined ? `--${flag.name}` : `-${flag.shorthand}, --${flag.name}`;
      const argument = flag.type === 'multimap' ? '"***"' : JSON.stringify(text);
      this.#problems.push(`invalid argument ${argument} for "${shown}" flag: ${parsed.problem}`);
    } else if (parsed.value !== undefined) {
      this.#values.set(flag.name, parsed.value);
    }
  }

  result(): ParsedFlags {
    const given = [...this.#given];
    const version = this.#values.get('version');
    return {
      process: this.#processFlags(),
      configValues: new Map(
        CONFIG_FLAGS.flatMap(([name, path]): [ConfigPath, JsonValue][] => {
          const value = this.#values.get(name);
          return value === undefined ? [] : [[path, value]];
        }),
      ),
      values: this.#values,
      given,
      help: this.#values.get('help') === true,
      ...(typeof version === 'string' ? { version } : {}),
      positionals: this.#positionals,
      problems: this.#problems,
      deprecations: given.flatMap((name) => {
        const reason = BY_NAME.get(name)?.deprecated;
        return reason === undefined ? [] : [`Flag --${name} has been deprecated, ${reason}`];
      }),
    };
  }

  #processFlags(): ProcessFlags {
    const entries = Object.entries(PROCESS_FLAGS).map(([key, spec]) => [
      key,
      this.#values.get(spec.flag) ?? spec.default,
    ]);
    // The table is checked against ProcessFlags key by key; value types follow from each row's flag type.
    return Object.fromEntries(entries) as unknown as ProcessFlags;
  }
}
