/**
 * Runs one sub-command: asks the agent over its local socket and prints the
 * answer. Nothing here adds to what the agent returns.
 *
 * Exit codes: 0, 1 when it did not work, 2 for a command line that is none,
 * and that of the command for `exec`.
 */

import { AgentError, errorText } from '../../base/errors.ts';
import { type CliArguments, parseCliArguments } from '../config/cli/cli-arguments.ts';
import { isVerb, type Verb } from '../config/cli/cli-verbs.ts';
import type { GetKind } from '../config/cli/cli-words.ts';
import { type AdviceVerb, findVerb } from '../config/cli/find-verb.ts';
import { renderCliHelp } from '../config/cli/render-cli-help.ts';
import { renderCompletion, type Shell } from '../config/cli/render-completion.ts';
import { renderHelp, renderVersion } from '../config/load/help.ts';
import { renderManPage } from '../config/load/render-man-page.ts';
import { DEFAULT_ROOT_DIR, toLocalSocket } from '../config/local-socket.ts';
import { type CliContext, type CliHost, EXIT_FAILED, EXIT_USAGE } from './ask/cli-context.ts';
import { findRootDir } from './ask/find-root-dir.ts';
import { LocalClient } from './ask/local-client.ts';
import { renderAdvice } from './cli-advice.ts';
import { showConfigurationDiff } from './cli-config.ts';
import { copyFiles } from './cli-cp.ts';
import { explainPods } from './cli-explain.ts';
import { changeImages } from './cli-image-changes.ts';
import { listImages } from './cli-images.ts';
import { listConfigMaps, listNodes, listSecrets, listVolumes } from './cli-lists.ts';
import { printLogs } from './cli-logs.ts';
import { restartPod, retryPod } from './cli-operate.ts';
import { printPageAddress } from './cli-page.ts';
import { listResources } from './cli-resources.ts';
import { attachPod, execInPod, forwardPorts } from './cli-streams.ts';
import { showTimeline } from './cli-timeline.ts';
import { showTop } from './cli-top.ts';
import { showTree } from './cli-tree.ts';
import { validateFiles } from './cli-validate.ts';
import { listEvents, listPods, printDescription } from './cli-views.ts';
import { runDoctor } from './doctor/run-doctor.ts';
import { runPods } from './run/run-pods.ts';
import { printText } from './show/print-text.ts';

type Command = (context: CliContext) => Promise<number>;

/** They ask no kubelet. */
type LoneVerb = 'run' | 'validate' | 'doctor' | 'completion' | 'man';

const LONE_COMMANDS: Readonly<Record<LoneVerb, (asked: CliArguments, host: CliHost) => Promise<number>>> = {
  run: runPods,
  validate: ({ words }, host) => validateFiles(words, host),
  doctor: runDoctor,
  completion: async ({ words }, { stdout }) => {
    printText(stdout, renderCompletion(words[0] as Shell));
    return 0;
  },
  man: async (_, { stdout }) => {
    printText(stdout, renderManPage());
    return 0;
  },
};

/** What `get` lists. */
const LISTS: Readonly<Record<GetKind, Command>> = {
  pods: listPods,
  events: listEvents,
  resources: listResources,
  images: listImages,
  volumes: listVolumes,
  nodes: listNodes,
  configmaps: listConfigMaps,
  secrets: listSecrets,
};

const COMMANDS: Readonly<Record<Exclude<Verb, LoneVerb>, Command>> = {
  get: (context) => LISTS[context.asked.subject](context),
  describe: printDescription,
  explain: explainPods,
  timeline: showTimeline,
  tree: showTree,
  logs: printLogs,
  events: listEvents,
  exec: execInPod,
  attach: attachPod,
  'port-forward': forwardPorts,
  cp: copyFiles,
  restart: restartPod,
  retry: retryPod,
  images: (context) => (context.asked.words.length > 0 ? changeImages(context) : listImages(context)),
  resources: listResources,
  top: showTop,
  config: showConfigurationDiff,
  page: printPageAddress,
};

/** Undefined when `argv` is no sub-command: then it is for the agent itself. */
export async function runCli(argv: readonly string[], host: CliHost): Promise<number | undefined> {
  const found = findVerb(argv);
  if (found === undefined) return undefined;
  const { verb, rest } = found;
  if (verb === 'version') printText(host.stdout, renderVersion());
  if (verb === 'version') return 0;
  if (verb === 'help') return printHelp(rest[0], host);
  return isVerb(verb) ? runVerb(verb, rest, host) : advise(verb, rest, host);
}

async function runVerb(verb: Verb, rest: readonly string[], host: CliHost): Promise<number> {
  const asked = parseCliArguments(verb, rest);
  if (asked.kind === 'help') return printHelp(verb, host);
  if (asked.kind === 'usage') {
    printText(host.stderr, `error: ${asked.problem}\nSee 'kubelet ${verb} --help' for usage.\n`);
    return EXIT_USAGE;
  }
  const { verb: meant } = asked;
  if (isLone(meant)) return LONE_COMMANDS[meant](asked, host);
  return withClient(asked, host, COMMANDS[meant]);
}

function isLone(verb: Verb): verb is LoneVerb {
  return Object.hasOwn(LONE_COMMANDS, verb);
}

/** Exit code 1: what was asked for is not done. */
function advise(
  verb: Exclude<AdviceVerb, 'help' | 'version'>,
  rest: readonly string[],
  host: CliHost,
): Promise<number> {
  const flags = rest.flatMap((word, at) => {
    if (/^(--root-dir|--socket|--namespace)=/.test(word)) return [word];
    return /^(--root-dir|--socket|--namespace|-n)$/.test(word) ? rest.slice(at, at + 2) : [];
  });
  const asked = parseCliArguments('explain', flags);
  if (asked.kind !== 'command') return runVerb('explain', flags, host);
  const words = rest.filter((word) => !flags.includes(word));
  return withClient(asked, host, async (context) => {
    printText(host.stderr, `kubelet ${verb}: ${await renderAdvice(verb, words, context)}\n`);
    return EXIT_FAILED;
  });
}

async function withClient(asked: CliArguments, host: CliHost, run: Command): Promise<number> {
  try {
    const { socket } = asked.options;
    const rootDir = socket === undefined ? await findRootDir(asked.options.rootDir, host) : DEFAULT_ROOT_DIR;
    const client = new LocalClient(socket ?? toLocalSocket(rootDir), rootDir);
    return await run({ client, asked, host });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    printText(host.stderr, `error: ${errorText(error)}\n`);
    return EXIT_FAILED;
  }
}

function printHelp(verb: string | undefined, { stdout }: CliHost): number {
  const { columns } = stdout as { readonly columns?: number };
  printText(stdout, isVerb(verb) ? renderCliHelp(verb) : renderHelp(columns));
  return 0;
}
