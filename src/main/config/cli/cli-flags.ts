/** The flags of the sub-commands, in kubectl's spelling. */

import { DEFAULT_ROOT_DIR } from '../local-socket.ts';
import type { Verb } from './cli-verbs.ts';

export interface CliFlag {
  readonly name: string;
  readonly short?: string;
  readonly takesValue?: true;
  readonly about: string;
  /** All of them without. */
  readonly verbs?: readonly Verb[];
  /** Except these. */
  readonly except?: readonly Verb[];
  /** May be given several times. */
  readonly repeats?: true;
}

/** They ask no kubelet that runs. */
const WITHOUT_ASKING: readonly Verb[] = ['run', 'doctor'];

export const CLI_FLAGS: readonly CliFlag[] = [
  {
    name: 'namespace',
    short: 'n',
    takesValue: true,
    about: 'the namespace of the pod',
    except: WITHOUT_ASKING,
  },
  {
    name: 'all-namespaces',
    short: 'A',
    about: 'pods of every namespace',
    verbs: ['get', 'events', 'explain', 'top'],
  },
  {
    name: 'output',
    short: 'o',
    takesValue: true,
    about: 'json, yaml, wide or name; get also takes jsonpath=TEMPLATE and custom-columns=TITLE:PATH,...',
    verbs: [
      'get',
      'describe',
      'events',
      'explain',
      'timeline',
      'tree',
      'images',
      'resources',
      'top',
      'config',
      'doctor',
    ],
  },
  { name: 'watch', short: 'w', about: 'go on with every change', verbs: ['get', 'events', 'top'] },
  {
    name: 'selector',
    short: 'l',
    takesValue: true,
    about: 'pods with these labels, such as app=web,tier!=db',
    verbs: ['get'],
  },
  {
    name: 'no-headers',
    about: 'without the line of titles',
    verbs: ['get', 'events', 'images', 'resources', 'top'],
  },
  {
    name: 'container',
    short: 'c',
    takesValue: true,
    about: 'the container',
    verbs: ['logs', 'exec', 'attach', 'cp', 'restart'],
  },
  { name: 'follow', short: 'f', about: 'go on with what is written', verbs: ['logs'] },
  { name: 'tail', takesValue: true, about: 'so many lines from the end; -1 for all', verbs: ['logs'] },
  { name: 'since', takesValue: true, about: 'no older than this, such as 5m', verbs: ['logs'] },
  { name: 'previous', short: 'p', about: 'of the instance before this one', verbs: ['logs'] },
  { name: 'all-containers', about: 'of every container of the pod', verbs: ['logs'] },
  { name: 'prefix', about: 'each line with its pod and container', verbs: ['logs'] },
  {
    name: 'filename',
    short: 'f',
    takesValue: true,
    about: 'a manifest; for run also a directory, or - for standard input',
    verbs: ['run', 'validate'],
    repeats: true,
  },
  { name: 'once', about: 'run pods to their end and exit with their exit code', verbs: ['run'] },
  { name: 'keep', about: 'leave pods running when the command ends', verbs: ['run'] },
  {
    name: 'runtime-endpoint',
    takesValue: true,
    about: 'the socket of the container runtime (default: $CONTAINER_RUNTIME_ENDPOINT, or a usual place)',
    verbs: ['run', 'doctor'],
  },
  {
    name: 'config',
    takesValue: true,
    about: 'the configuration to check (default: that of the kubelet that runs, or a usual place)',
    verbs: ['doctor'],
  },
  {
    name: 'kubeconfig',
    takesValue: true,
    about: 'the way to the API server, whose certificates are checked',
    verbs: ['doctor'],
  },
  { name: 'cert-dir', takesValue: true, about: 'where the certificates are', verbs: ['doctor'] },
  { name: 'timestamps', about: 'each line with its time', verbs: ['logs'] },
  { name: 'stdin', short: 'i', about: 'pass standard input on', verbs: ['exec', 'attach'] },
  { name: 'tty', short: 't', about: 'standard input is a terminal', verbs: ['exec', 'attach'] },
  { name: 'unused', about: 'only those that nothing uses', verbs: ['images'] },
  { name: 'plan', about: 'only those that a collection would delete now, in its order', verbs: ['images'] },
  { name: 'eviction', about: 'how near the node is to evicting pods, and which', verbs: ['explain'] },
  { name: 'sort-by', takesValue: true, about: 'the largest first: cpu or memory', verbs: ['top'] },
  {
    name: 'root-dir',
    takesValue: true,
    about: `the root directory of the kubelet (default: $KUBELET_ROOT_DIR, that of the only kubelet that runs, or ${DEFAULT_ROOT_DIR})`,
  },
  {
    name: 'socket',
    takesValue: true,
    about: 'its local socket, where it is not in the root directory',
    except: WITHOUT_ASKING,
  },
  { name: 'help', short: 'h', about: 'this text' },
];

/** Those that a sub-command takes. */
export function flagsOf(verb: Verb): readonly CliFlag[] {
  return CLI_FLAGS.filter(
    ({ verbs, except = [] }) => (verbs?.includes(verb) ?? true) && !except.includes(verb),
  );
}
