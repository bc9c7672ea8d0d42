/**
 * Whether a command line is for a sub-command, and for which. Flags that say which kubelet is meant may stand
 * before the verb; everything else before it is for the agent. Pure.
 */
import { isVerb, type Verb } from './cli-verbs.ts';

/** Words that people try and that have an answer, although nothing is done. */
const ADVICE_VERBS = ['help', 'version', 'apply', 'create', 'edit', 'delete'] as const;
export type AdviceVerb = (typeof ADVICE_VERBS)[number];

export interface FoundVerb {
  readonly verb: Verb | AdviceVerb;
  /** The other words, those from before the verb first. */
  readonly rest: readonly string[];
}

/** Each takes a value. */
const EARLY_FLAGS: ReadonlySet<string> = new Set(['--root-dir', '--socket', '--namespace', '-n']);

/** Undefined when the command line is for the agent. */
export function findVerb(argv: readonly string[]): FoundVerb | undefined {
  let at = 0;
  for (let word = argv[at]; word?.startsWith('-'); word = argv[at]) {
    const [name = ''] = word.split('=');
    if (!EARLY_FLAGS.has(name)) return undefined;
    at += word.includes('=') ? 1 : 2;
  }
  const verb = argv[at];
  if (!isVerb(verb) && !isAdviceVerb(verb)) return undefined;
  return { verb, rest: [...argv.slice(0, at), ...argv.slice(at + 1)] };
}

function isAdviceVerb(word: string | undefined): word is AdviceVerb {
  return (ADVICE_VERBS as readonly string[]).includes(word ?? '');
}
