/**
 * The program: loads the configuration, starts the node agent and waits for a
 * signal. The only place that ends the process. Stopping leaves containers
 * running.
 */
import './process/thread-count.ts';
import { isatty } from 'node:tty';
import { errorText } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { Scope } from '../base/scope.ts';
import { findVerb } from './config/cli/find-verb.ts';
import { hostConfigurationFiles } from './config/load/host-configuration-files.ts';
import { type LoadedConfiguration, loadConfiguration } from './config/load/load-configuration.ts';
import { endProcess } from './process/end-process.ts';
import { createProcessLogger, type ProcessLogger } from './process/process-logger.ts';
import { startKubelet } from './startup.ts';

const EXIT_FAILED = 1;
const STDERR = 2;
const STOP_LIMIT_MS = 15_000;

async function main(argv: readonly string[]): Promise<number> {
  // A word that is no sub-command is refused below, as ever.
  if (findVerb(argv) !== undefined) return runSubCommand(argv);
  const outcome = loadConfiguration(argv, hostConfigurationFiles());
  switch (outcome.kind) {
    case 'print':
      process.stdout.write(outcome.text.endsWith('\n') ? outcome.text : `${outcome.text}\n`);
      return outcome.exitCode;
    case 'rejected':
      for (const warning of outcome.warnings) process.stderr.write(`${warning.message}\n`);
      for (const problem of outcome.problems) process.stderr.write(`kubelet: ${problem}\n`);
      return outcome.exitCode;
    case 'loaded':
      return run(outcome);
  }
}

/** Loaded where it is used: the agent itself does without its memory. */
async function runSubCommand(argv: readonly string[]): Promise<number> {
  const { runCli } = await import('./cli/run-cli.ts');
  const { findRunningKubelets } = await import('./cli/ask/find-root-dir.ts');
  const { listPodProcesses } = await import('../adapters/linux/machine/list-pod-processes.ts');
  const { stdin, stdout, stderr } = process;
  const isRun = findVerb(argv)?.verb === 'run';
  const signals = isRun ? listenToSignals(2, RUN_SIGNALS) : listenToSignals(1, USER_SIGNALS);
  // A reader that closes the pipe, such as `head`, has seen enough; a run still has pods to end.
  if (isRun) for (const stream of [stdout, stderr]) stream.on('error', signals.end);
  else stdout.on('error', () => process.exit(0));
  const exitCode = await runCli(argv, {
    ...{ stdin, stdout, stderr, now: Date.now, signal: signals.stop },
    env: process.env,
    findRunning: () => findRunningKubelets(),
    listProcesses: () => listPodProcesses(),
    foreground: {
      startKubelet: async (settings, signal) => {
        const { startForegroundKubelet } = await import('./foreground-kubelet.ts');
        return startForegroundKubelet(settings, signal);
      },
      hurry: signals.hurry,
      userId: process.getuid?.() ?? 0,
    },
  });
  await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))));
  return signals.exitCode() ?? exitCode ?? EXIT_FAILED;
}

const USER_SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
/** A terminal that is closed must not leave pods behind. */
const RUN_SIGNALS = { ...USER_SIGNALS, SIGHUP: 1 } as const;

interface UserSignals {
  /** Aborts with the first signal. */
  readonly stop: AbortSignal;
  /** Aborts with the second. */
  readonly hurry: AbortSignal;
  /** Undefined without a signal. */
  readonly exitCode: () => number | undefined;
  /** As the first signal does. */
  readonly end: () => void;
}

/** So many signals are for the command; the next one ends the process. */
function listenToSignals(patience: number, numbers: Readonly<Record<string, number>>): UserSignals {
  const [stop, hurry] = [new AbortController(), new AbortController()];
  let exitCode: number | undefined;
  let count = 0;
  for (const [signal, number] of Object.entries(numbers))
    process.on(signal, () => {
      exitCode = 128 + number;
      count++;
      if (count > patience) endProcess(exitCode);
      (count === 1 ? stop : hurry).abort();
    });
  const end = (): void => stop.abort();
  return { stop: stop.signal, hurry: hurry.signal, exitCode: () => exitCode, end };
}

/** Runs until a signal; a second signal does not wait. */
async function run(loaded: LoadedConfiguration): Promise<number> {
  const logger = createProcessLogger(loaded.config.logging);
  // Also where a second signal ends it at once.
  process.once('exit', () => logger.flush());
  for (const warning of loaded.warnings) logger.warn(warning.message, { kind: warning.kind });
  const scope = Scope.root('kubelet');
  const exitCode = await runIn(scope, loaded, logger);
  await closeInTime(scope, logger);
  logger.flush();
  return exitCode;
}

async function runIn(scope: Scope, loaded: LoadedConfiguration, logger: ProcessLogger): Promise<number> {
  const stopped = waitForSignal(logger);
  try {
    // A signal also ends a start that waits for something.
    const started = startKubelet(loaded, logger, scope).then(({ failed }) => failed);
    return await Promise.race([stopped, started]);
  } catch (error) {
    logger.error('cannot start the kubelet', error);
    return EXIT_FAILED;
  }
}

/** What does not let go is left to the end of the process: it is as good as a kill, and the next start copes. */
async function closeInTime(scope: Scope, logger: Logger): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    logger.warn('stop deadline exceeded, exiting', { waitedMs: STOP_LIMIT_MS });
    late.resolve();
  }, STOP_LIMIT_MS);
  try {
    await Promise.race([scope.close(), late.promise]);
  } catch (error) {
    logger.error('cannot stop cleanly', error);
  } finally {
    clearTimeout(timer);
  }
}

/** A hang-up is a reason to stop when the terminal behind it is gone. */
function waitForSignal(logger: Logger): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const onSignal = (signal: NodeJS.Signals): void => {
    logger.info('stopping, containers keep running', { signal });
    process.once('SIGINT', () => endProcess(EXIT_FAILED));
    process.once('SIGTERM', () => endProcess(EXIT_FAILED));
    resolve(0);
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  // Otherwise it asks for the configuration to be reloaded (wire/reload.ts).
  process.on('SIGHUP', (signal) => {
    if (process.stderr.isTTY && !isatty(STDERR)) onSignal(signal);
  });
  return promise;
}

main(process.argv.slice(2)).then(
  (exitCode) => endProcess(exitCode),
  (error: unknown) => {
    process.stderr.write(`kubelet: ${error instanceof Error ? error.stack : errorText(error)}\n`);
    endProcess(EXIT_FAILED);
  },
);
