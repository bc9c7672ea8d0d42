/**
 * Runs one sub-command: asks the agent over its local socket and prints the
 * answer. Nothing here adds to what the agent returns.
 *
 * Exit codes: 0, 1 when it did not work, 2 for a command line that is none,
 * and that of the command for `exec`.
 */

import type { Readable, Writable } from 'node:stream';
import { AgentError, errorText } from '../../base/errors.ts';
import { type CliArguments, isVerb, parseCliArguments, renderCliHelp } from '../config/cli-arguments.ts';
import { toLocalSocket } from '../config/local-socket.ts';
import { explainPods } from './cli-explain.ts';
import { attachPod, execInPod, forwardPorts } from './cli-streams.ts';
import { listEvents, listPods, printDescription, printLogs } from './cli-views.ts';
import { LocalClient } from './local-client.ts';
import { printText } from './print-text.ts';

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** The process as a command sees it. */
export interface CliHost {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly now: () => number;
  /** Aborts when the user wants no more. */
  readonly signal: AbortSignal;
}

export interface CliContext {
  readonly client: LocalClient;
  readonly asked: CliArguments;
  readonly host: CliHost;
}

type Command = (context: CliContext) => Promise<number>;

const COMMANDS: Readonly<Record<CliArguments['verb'], Command>> = {
  get: listPods,
  describe: printDescription,
  explain: explainPods,
  logs: printLogs,
  events: listEvents,
  exec: execInPod,
  attach: attachPod,
  'port-forward': forwardPorts,
};

/** Undefined when `argv` is no sub-command: then it is for the agent itself. */
export async function runCli(argv: readonly string[], host: CliHost): Promise<number | undefined> {
  const [verb, ...rest] = argv;
  if (!isVerb(verb)) return undefined;
  const asked = parseCliArguments(verb, rest);
  if (asked.kind === 'help') {
    printText(host.stdout, renderCliHelp(verb));
    return 0;
  }
  if (asked.kind === 'usage') {
    printText(host.stderr, `error: ${asked.problem}\nSee 'kubelet ${verb} --help' for usage.\n`);
    return EXIT_USAGE;
  }
  const { rootDir, socket = toLocalSocket(rootDir) } = asked.options;
  const client = new LocalClient(socket, rootDir);
  try {
    return await COMMANDS[asked.verb]({ client, asked, host });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    printText(host.stderr, `error: ${errorText(error)}\n`);
    return EXIT_FAILED;
  }
}
