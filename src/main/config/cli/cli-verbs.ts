/**
 * The sub-commands, one entry for each: what it is for, how it is used, how many words it takes. Help, completions and
 * the manual page are made of this table and that of the flags (cli-flags.ts); what a command does is one line in
 * cli/run-cli.ts.
 */

/** What the words of a command are: names of pods, files, or one of these. */
export type VerbWords = 'pods' | 'files' | 'none' | readonly string[];

export interface VerbEntry {
  readonly about: string;
  /** Without the name of the program. */
  readonly usage: string;
  /** How many words there are at least and at most, the kind not counted. */
  readonly bounds: readonly [least: number, most: number];
  readonly words: VerbWords;
  /** What is printed when words are missing; `name a pod` without. */
  readonly missing?: string;
}

const MANY = Number.POSITIVE_INFINITY;

const VERB_TABLE = {
  get: {
    about: 'list pods and other things of the node',
    usage:
      'get pods|events|resources|images|volumes|nodes|configmaps|secrets [POD] [-o FORMAT] [-w] [-l SELECTOR] [-n NAMESPACE | -A]',
    bounds: [0, 1],
    words: ['pods', 'events', 'resources', 'images', 'volumes', 'nodes', 'configmaps', 'secrets'],
  },
  describe: {
    about: 'show everything about one pod',
    usage: 'describe pod POD',
    bounds: [1, 1],
    words: 'pods',
  },
  explain: {
    about: 'say what a pod waits for, or what is wrong on the node',
    usage: 'explain [POD | --eviction] [-o json|yaml]',
    bounds: [0, 1],
    words: 'pods',
  },
  timeline: {
    about: 'show when the steps of a pod were and what took how long',
    usage: 'timeline POD [-o json|yaml]',
    bounds: [1, 1],
    words: 'pods',
  },
  tree: {
    about: 'show what pods are made of, down to their processes',
    usage: 'tree [POD] [-n NAMESPACE] [-o json|yaml]',
    bounds: [0, 1],
    words: 'pods',
  },
  logs: {
    about: 'print the log of a container',
    usage: 'logs POD [-c CONTAINER] [-f] [--all-containers] [--prefix] [--tail N] [-p]',
    bounds: [1, 1],
    words: 'pods',
  },
  events: {
    about: 'list the last events',
    usage: 'events [POD] [-w] [-o json|yaml]',
    bounds: [0, 1],
    words: 'pods',
  },
  exec: {
    about: 'run a command in a container',
    usage: 'exec POD [-c CONTAINER] [-it] -- COMMAND [ARGUMENT...]',
    bounds: [1, 1],
    words: 'pods',
  },
  attach: {
    about: 'connect to the streams of a container',
    usage: 'attach POD [-c CONTAINER] [-it]',
    bounds: [1, 1],
    words: 'pods',
  },
  'port-forward': {
    about: 'make ports of a pod reachable on this host',
    usage: 'port-forward POD [LOCAL_PORT:]POD_PORT...',
    bounds: [2, MANY],
    words: 'pods',
    missing: 'name a pod and its ports',
  },
  cp: {
    about: 'copy files between this machine and a container',
    usage: 'cp POD:PATH LOCAL_PATH | LOCAL_PATH POD:PATH [-c CONTAINER]',
    bounds: [2, 2],
    words: 'files',
    missing: 'name what to copy and where to, one of them as POD:PATH',
  },
  restart: {
    about: 'restart the containers of a pod, or one of them',
    usage: 'restart POD [CONTAINER]',
    bounds: [1, 2],
    words: 'pods',
  },
  retry: {
    about: 'end the back-offs of a pod now',
    usage: 'retry POD',
    bounds: [1, 1],
    words: 'pods',
  },
  run: {
    about: 'run the pods of manifests in the foreground, with a kubelet of their own',
    usage: 'run -f FILE|DIRECTORY|- [-f ...] [--once | --keep] [--runtime-endpoint SOCKET]',
    bounds: [1, MANY],
    words: 'files',
    missing: 'name a manifest with -f, or - for standard input',
  },
  validate: {
    about: 'check manifests without a kubelet',
    usage: 'validate -f FILE [FILE...]',
    bounds: [1, MANY],
    words: 'files',
    missing: 'name a manifest',
  },
  images: {
    about: 'list images, what uses them and what a collection would delete; or pull one',
    usage: 'images [--unused | --plan] [-o json|yaml] | images pull IMAGE | images load FILE',
    bounds: [0, 2],
    words: ['pull', 'load'],
  },
  resources: {
    about: 'show which container has which CPUs, memory and devices',
    usage: 'resources [-o json|yaml]',
    bounds: [0, 0],
    words: 'none',
  },
  top: {
    about: 'show CPU and memory in use',
    usage: 'top pods|containers|node [POD] [-w] [-o wide|json|yaml] [--sort-by cpu|memory]',
    bounds: [1, 2],
    words: ['pods', 'containers', 'node'],
    missing: 'name what to show: pods, containers or node',
  },
  config: {
    about: 'show which settings in the files are not in force, and what they wait for',
    usage: 'config diff [-o json|yaml]',
    bounds: [1, 1],
    words: ['diff'],
    missing: 'name what to show: diff',
  },
  doctor: {
    about: 'look at the machine and say what would keep pods from running, and how to mend it',
    usage: 'doctor [--config FILE] [--kubeconfig FILE] [--runtime-endpoint SOCKET] [-o json|yaml]',
    bounds: [0, 0],
    words: 'none',
  },
  page: {
    about: 'print the address of the page for people',
    usage: 'page',
    bounds: [0, 0],
    words: 'none',
  },
  completion: {
    about: 'print the completions of a shell',
    usage: 'completion bash|zsh|fish',
    bounds: [1, 1],
    words: ['bash', 'zsh', 'fish'],
    missing: 'name a shell: bash, zsh or fish',
  },
  man: {
    about: 'print the manual page',
    usage: 'man',
    bounds: [0, 0],
    words: 'none',
  },
} as const satisfies Readonly<Record<string, VerbEntry>>;

export type Verb = keyof typeof VERB_TABLE;
export const VERBS = Object.keys(VERB_TABLE) as Verb[];

export function verbEntry(verb: Verb): VerbEntry {
  return VERB_TABLE[verb];
}

export function isVerb(word: string | undefined): word is Verb {
  return Object.hasOwn(VERB_TABLE, word ?? '');
}

/** For the help of the program. */
export function renderVerbUsages(): string[] {
  return VERBS.map((verb) => `kubelet ${verbEntry(verb).usage}`);
}
