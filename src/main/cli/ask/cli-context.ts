/** What every sub-command is given: the process, the command line, and the kubelet it asks. */
import type { Readable, Writable } from 'node:stream';
import type { PodProcess } from '../../../adapters/linux/machine/list-pod-processes.ts';
import type { CliArguments } from '../../config/cli/cli-arguments.ts';
import type { RootDirHints } from './find-root-dir.ts';
import type { ForegroundMeans } from './foreground.ts';
import type { LocalClient } from './local-client.ts';

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** The process as a command sees it. */
export interface CliHost extends RootDirHints {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly now: () => number;
  /** Those of all pods of this host. */
  readonly listProcesses: () => Promise<readonly PodProcess[]>;
  /** Aborts when the user wants no more. */
  readonly signal: AbortSignal;
  /** For `run` alone. */
  readonly foreground?: ForegroundMeans;
}

export interface CliContext {
  readonly client: LocalClient;
  readonly asked: CliArguments;
  readonly host: CliHost;
}
