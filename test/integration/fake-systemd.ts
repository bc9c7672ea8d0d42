/** A message bus of its own with a logind and a systemd on it that end with the test; `make message-bus` has installed what they need. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PYTHON = '/usr/bin/python3';

export class FakeSystemd implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'fake-systemd-'));
  readonly bus = join(this.directory, 'bus');
  readonly address = `unix:path=${this.bus}`;
  readonly override = join(this.directory, 'logind.conf.d', '99-kubelet.conf');
  readonly lines: string[] = [];
  #daemon: ChildProcess | undefined;
  #logind: ChildProcess | undefined;
  readonly #waiting = new Set<() => void>();

  async start(delaySeconds = 5): Promise<void> {
    const { address } = this;
    this.#daemon = spawn(
      'dbus-daemon',
      ['--session', '--nofork', '--nopidfile', '--print-address', `--address=${address}`],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    if (this.#daemon.stdout !== null) await once(this.#daemon.stdout, 'data');
    const script = join(import.meta.dirname, 'fake-logind.py');
    const env = { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: address };
    const args = [script, this.override, String(delaySeconds)];
    this.#logind = spawn(PYTHON, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#logind.stdout === null) throw new Error('no output of the fake');
    createInterface(this.#logind.stdout).on('line', (line) => {
      this.lines.push(line);
      for (const wake of this.#waiting) wake();
    });
    await this.saw('ready');
  }

  /** Resolves once the line was printed so often. */
  async saw(line: string, times = 1): Promise<void> {
    const isThere = (): boolean => this.lines.filter((seen) => seen === line).length >= times;
    while (!isThere())
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
  }

  command(line: string): void {
    this.#logind?.stdin?.write(`${line}\n`);
  }

  /** The bus itself goes away. */
  endBus(): void {
    this.#daemon?.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#logind?.stdin?.end();
    for (const child of [this.#logind, this.#daemon])
      if (child !== undefined && child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        if (child === this.#daemon) child.kill();
        await ended;
      }
    rmSync(this.directory, { recursive: true, force: true });
  }
}
