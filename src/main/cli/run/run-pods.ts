/**
 * `kubelet run -f app.yaml`: a kubelet in the foreground, with a root directory, a cgroup and pods of its own.
 *
 *   read manifests ─► find the runtime ─► start ─► watch, follow logs ─► end pods ─► stop ─► clean up
 *
 * Ctrl-C ends the pods in their grace, a second one shortens it; `--keep` leaves them; with `--once` the end of all
 * pods ends the run, with the exit code of the first container that failed.
 */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { inspectRuntime } from '../../../adapters/cri/inspect-runtime.ts';
import { onAbort } from '../../../base/async/on-abort.ts';
import { AgentError, errorText } from '../../../base/errors.ts';
import type { CliArguments } from '../../config/cli/cli-arguments.ts';
import { toLocalSocket } from '../../config/local-socket.ts';
import { type CliHost, EXIT_FAILED, EXIT_USAGE } from '../ask/cli-context.ts';
import type { ForegroundKubelet, ForegroundMeans } from '../ask/foreground.ts';
import { LocalClient } from '../ask/local-client.ts';
import { printText } from '../show/print-text.ts';
import { findRunObstacle } from './check-runtime.ts';
import { claimRun } from './claim-run.ts';
import { cleanRun } from './clean-run.ts';
import { findRuntime } from './find-runtime.ts';
import { ContainerFollower } from './follow-containers.ts';
import { toShortName } from './judge-run.ts';
import { type RunManifests, readRunManifests } from './read-run-manifests.ts';
import { type RunPlace, toRunArguments, toRunConfiguration, toRunPlace } from './run-place.ts';
import { RunScreen } from './run-screen.ts';
import { type RunView, waitUntilGone, watchRun } from './watch-run.ts';

/** A pod that was asked twice to end. */
const HURRIED_SECONDS = 1;
const PRIVATE_DIRECTORY = 0o700;
const PRIVATE_FILE = 0o600;

export async function runPods({ words, options }: CliArguments, host: CliHost): Promise<number> {
  const { foreground } = host;
  if (foreground === undefined) throw new Error('a kubelet cannot be started here');
  const fail = (text: string, code = EXIT_FAILED): number => {
    printText(host.stderr, `error: ${text}\n`);
    return code;
  };
  if (options.once && options.keep) return fail('--once and --keep exclude each other', EXIT_USAGE);
  const read = await readRunManifests(words, host.stdin, hostname());
  if (read.problems.length > 0) return fail(read.problems.join('\nerror: '));
  const endless = read.pods.filter(({ spec }) => (spec.restartPolicy ?? 'Always') === 'Always');
  if (options.once && endless.length > 0) {
    const names = endless.map((pod) => JSON.stringify(toShortName(pod))).join(', ');
    return fail(`--once needs pods that end: set restartPolicy: Never or OnFailure in ${names}`);
  }
  if (foreground.userId !== 0) return fail('containers need root: run it with sudo');
  try {
    const endpoint = await findRuntime({ named: options.runtimeEndpoint, env: host.env });
    const problem = findRunObstacle(endpoint, await inspectRuntime(endpoint), read.pods);
    if (problem !== undefined) return fail(problem);
    const rootDir = options.rootDir === undefined ? undefined : resolve(options.rootDir);
    const place = toRunPlace(read.sources, rootDir);
    await using _claim = await claimRun(place, host.signal);
    await writePlace(place, read, endpoint);
    return await runIn({ place, read, host, foreground, ...options });
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return fail(errorText(error));
  }
}

interface Run {
  readonly place: RunPlace;
  readonly read: RunManifests;
  readonly host: CliHost;
  readonly foreground: ForegroundMeans;
  readonly once: boolean;
  readonly keep: boolean;
}

/** Only root may look: manifests may hold Secrets. */
async function writePlace(place: RunPlace, { manifests }: RunManifests, endpoint: string): Promise<void> {
  const { manifestDir, podLogsDir, configFile } = place;
  await rm(manifestDir, { recursive: true, force: true });
  for (const path of [manifestDir, podLogsDir]) {
    await mkdir(path, { recursive: true, mode: PRIVATE_DIRECTORY });
    await chmod(path, PRIVATE_DIRECTORY);
  }
  for (const { name, text } of manifests)
    await writeFile(join(manifestDir, name), text, { mode: PRIVATE_FILE });
  const configuration = toRunConfiguration(place, endpoint);
  await writeFile(configFile, JSON.stringify(configuration, undefined, 2), { mode: PRIVATE_FILE });
}

async function runIn(run: Run): Promise<number> {
  const { place, read, host, foreground, once } = run;
  const screen = new RunScreen(host);
  const isOne = read.pods.length === 1;
  const names = isOne ? '1 pod' : `${read.pods.length} pods`;
  const until = once ? `to ${isOne ? 'its' : 'their'} end` : 'until Ctrl-C';
  screen.say(`starting ${names}, ${until}; root directory ${place.rootDir}`);
  const quiet = new AbortController();
  let kubelet: ForegroundKubelet | undefined;
  try {
    const { owner: podOwner, logFile } = place;
    const argv = toRunArguments(place);
    // A start that was asked to stop goes on to its end, so that the pods it may have begun are ended too.
    kubelet = await foreground.startKubelet({ argv, podOwner, logFile }, foreground.hurry);
    const client = new LocalClient(toLocalSocket(place.rootDir), place.rootDir);
    const logs = new ContainerFollower(client, screen, quiet.signal);
    const view: RunView = { client, screen, logs, now: host.now, expected: read.pods.length };
    const end = await whileItWorks(kubelet, host.signal, (stop) => watchRun(view, once, stop));
    await endPods(run, view, kubelet);
    quiet.abort();
    await logs.settled();
    await kubelet.stop();
    screen.close();
    await finish(run, screen);
    if (end?.problem !== undefined) screen.say(end.problem, 'bad');
    return end?.exitCode ?? 0;
  } catch (error) {
    quiet.abort();
    screen.close();
    await kubelet?.stop();
    screen.say(`the log of the kubelet is ${place.logFile}`);
    if (kubelet === undefined && foreground.hurry.aborted) {
      screen.say('stopped during its start: the same command finds again what it has left');
      return 0;
    }
    throw error;
  }
}

/** Rejects as soon as the kubelet fails; the signal of `work` aborts then, and when `stop` does. */
async function whileItWorks<T>(
  kubelet: ForegroundKubelet,
  stop: AbortSignal,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  using _stopped = onAbort(stop, () => over.abort());
  const failed = kubelet.failed.then((): never => {
    throw new AgentError('unavailable', 'the kubelet has failed; its pods keep running');
  });
  try {
    return await Promise.race([failed, work(over.signal)]);
  } finally {
    over.abort();
  }
}

async function endPods(
  { place, host, foreground, keep }: Run,
  view: RunView,
  kubelet: ForegroundKubelet,
): Promise<void> {
  if (keep && host.signal.aborted) return;
  await rm(place.manifestDir, { recursive: true, force: true });
  await mkdir(place.manifestDir, { mode: PRIVATE_DIRECTORY });
  kubelet.endPods();
  using _hurried = onAbort(foreground.hurry, () => kubelet.endPods(HURRIED_SECONDS));
  await whileItWorks(kubelet, new AbortController().signal, (stop) => waitUntilGone(view, stop));
}

async function finish({ place, keep, host }: Run, screen: RunScreen): Promise<void> {
  if (keep && host.signal.aborted) {
    screen.say(
      'the pods keep running; the same command manages them again, without --keep it ends them at Ctrl-C',
    );
    return;
  }
  const left = await cleanRun(place);
  if (left !== undefined) screen.say(left, 'bad');
}
