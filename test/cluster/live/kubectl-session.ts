/**
 * One run of kubectl as a person would have it: with input, output as it
 * comes, an exit code, and a terminal when asked for. Both ways of streaming
 * can be chosen, because kubectl falls back silently from one to the other.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from './cluster.ts';

export type Transport = 'websocket' | 'spdy';

export interface Ended {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
}

/** What makes kubectl use one way of streaming and no other. */
export function transportEnvironment(transport: Transport): NodeJS.ProcessEnv {
  const webSockets = String(transport === 'websocket');
  return {
    ...process.env,
    KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets,
    KUBECTL_PORT_FORWARD_WEBSOCKETS: webSockets,
  };
}

export class KubectlSession implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #out: Buffer[] = [];
  #err = '';
  readonly #ended: Promise<number | null>;

  constructor(args: readonly string[], transport: Transport = 'websocket', program = 'kubectl') {
    this.#child = spawn(program, args, { env: transportEnvironment(transport) });
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#out.push(chunk));
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#err += chunk.toString();
    });
    this.#child.stdin?.on('error', () => {});
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once('close', resolve);
      this.#child.once('error', reject);
    });
  }

  get out(): string {
    return Buffer.concat(this.#out).toString();
  }

  get err(): string {
    return this.#err;
  }

  write(text: string | Buffer): void {
    this.#child.stdin?.write(text);
  }

  /** Closes its input. */
  end(text: string | Buffer = ''): void {
    this.#child.stdin?.end(text);
  }

  waitForOutput(pattern: RegExp, timeoutMs = 60_000): Promise<RegExpExecArray> {
    return waitFor(`${pattern} in the output`, () => pattern.exec(this.out) ?? undefined, timeoutMs);
  }

  /** Rejects when it does not end in time. */
  async ended(timeoutMs = 120_000): Promise<Ended> {
    const late = (): Promise<never> =>
      Promise.reject(new Error(`no end within ${timeoutMs} ms: ${this.#err}`));
    const limit = new AbortController();
    const overdue = delay(timeoutMs, undefined, { signal: limit.signal }).then(late);
    overdue.catch(() => {});
    const code = await Promise.race([this.#ended, overdue]).finally(() => limit.abort());
    return { code, out: Buffer.concat(this.#out), err: this.#err };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended.catch(() => {});
  }
}

/** Runs kubectl to its end with this input. */
export async function runKubectl(
  args: readonly string[],
  { input = '', transport = 'websocket' }: { input?: string | Buffer; transport?: Transport } = {},
): Promise<Ended> {
  await using session = new KubectlSession(args, transport);
  session.end(input);
  return await session.ended();
}

/**
 * Runs a shell line whose last command is kubectl in a terminal of 80 columns
 * and 24 lines. `$TRANSCRIPT` names the file with all that was shown so far.
 * Resolves to what was shown and the exit code.
 */
export async function runInTerminal(
  line: string,
  { input, transport = 'websocket' }: { input?: string; transport?: Transport } = {},
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-terminal-'));
  const transcript = join(directory, 'shown');
  const commands = join(directory, 'commands');
  // In a file: the transcript begins with the command line, which must not look like what is waited for.
  await writeFile(commands, `TRANSCRIPT=${transcript}\nstty cols 80 rows 24\n${line}\n`);
  // Of util-linux: makes the terminal, shows it to us and passes the exit code on.
  const args = ['--quiet', '--flush', '--return', '--command', `sh ${commands}`, transcript];
  try {
    await using session = new KubectlSession(args, transport, 'script');
    if (input !== undefined) session.write(input);
    const { code } = await session.ended();
    return { code, shown: (await readFile(transcript, 'utf8')).replaceAll('\r\n', '\n') };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
