/**
 * `kubelet doctor`: looks at the machine, with or without a kubelet that runs, and says what would keep pods from
 * running and how to mend it. It changes nothing; a check that gets no answer in its time is a finding itself.
 * Exit code 1 when there is a problem.
 */
import { open } from 'node:fs/promises';
import { orAborted } from '../../../base/async/abortable.ts';
import { Deadline } from '../../../base/async/deadline.ts';
import { AgentError, errorText } from '../../../base/errors.ts';
import type { CliArguments } from '../../config/cli/cli-arguments.ts';
import { type CliHost, EXIT_FAILED } from '../ask/cli-context.ts';
import { findRootDir } from '../ask/find-root-dir.ts';
import { isTerminal } from '../show/paint.ts';
import { printPainted } from '../show/print-painted.ts';
import { printText } from '../show/print-text.ts';
import { isDocument, renderDocument } from '../show/render-document.ts';
import { CHECKS, type Check, readRuntime, type Situation } from './checks.ts';
import { readDoctorSettings } from './doctor-settings.ts';
import { type Finding, problem } from './finding.ts';
import { type MachineView, thisMachine } from './machine-view.ts';
import { renderFindings, summarizeFindings } from './render-findings.ts';

/** Longer than a runtime gets to answer (inspect-runtime.ts). */
const LIMIT_MS = 15_000;
const HOLDER_BYTES = 64;

export async function runDoctor(
  { options }: Pick<CliArguments, 'options'>,
  host: CliHost,
  machine: MachineView = thisMachine(),
): Promise<number> {
  try {
    const findings = await examine(options, host, machine);
    const exitCode = findings.some(({ verdict }) => verdict === 'problem') ? EXIT_FAILED : 0;
    if (isDocument(options.output)) {
      printText(host.stdout, await renderDocument({ healthy: exitCode === 0, findings }, options.output));
      return exitCode;
    }
    const { columns } = host.stdout as { readonly columns?: number };
    const width = isTerminal(host.stdout, host.env) ? columns : undefined;
    printPainted(host, renderFindings(findings, width), 'findings');
    printText(host.stderr, `${summarizeFindings(findings)}\n`);
    return exitCode;
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    printText(host.stderr, `error: ${errorText(error)}\n`);
    return EXIT_FAILED;
  }
}

async function examine(
  options: CliArguments['options'],
  host: CliHost,
  machine: MachineView,
): Promise<readonly Finding[]> {
  const rootDir = await findRootDir(options.rootDir, host);
  const isRunning = (await host.findRunning()).includes(rootDir);
  const pid = isRunning ? await readHolder(`${rootDir}/kubelet-ts/lock`) : undefined;
  const settings = await readDoctorSettings({ options, rootDir, pid, root: machine.root });
  const endpoint = options.runtimeEndpoint ?? settings.loaded.config.containerRuntimeEndpoint;
  const situation: Situation = {
    ...{ machine, settings, rootDir, pid },
    path: host.env['PATH'] ?? '',
    nowMs: host.now(),
    runtime: readRuntime(machine, endpoint, isRunning),
  };
  // Each check that needs it reports what is wrong with it.
  situation.runtime.catch(() => {});
  const found = await Promise.all(CHECKS.map((check) => lookInTime(check, situation, host.signal)));
  return found.flat();
}

async function lookInTime(
  { subject, look }: Check,
  situation: Situation,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  using deadline = new Deadline(situation.machine.clock, { timeoutMs: LIMIT_MS, signal });
  try {
    const found = await orAborted(look(situation), deadline.signal);
    if (found !== undefined) return found;
    const late = `no answer within ${LIMIT_MS / 1000}s`;
    return [
      problem(
        subject,
        `cannot be looked at: ${late}`,
        'look for a file system or a runtime that hangs (dmesg, ps -eo stat,cmd)',
      ),
    ];
  } catch (error) {
    const why = errorText(error);
    return [problem(subject, `cannot be looked at: ${why}`, 'mend what the message names, and look again')];
  }
}

/** The pid in the file that a kubelet holds; undefined when it cannot be read. */
async function readHolder(path: string): Promise<number | undefined> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HOLDER_BYTES), 0, HOLDER_BYTES, 0);
    const [, pid] = /^(\d{1,10}) /.exec(buffer.subarray(0, bytesRead).toString()) ?? [];
    return pid === undefined ? undefined : Number(pid);
  } catch {
    return undefined;
  }
}
