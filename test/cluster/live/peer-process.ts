/** A program of another project beside the kubelet that a test starts, kills and starts again. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** Long enough for a kubelet to open its socket in most cases. */
const START_AGAIN_MS = 1_000;

export class PeerProcess {
  readonly #program: string;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;
  #endsByItself = false;

  constructor(program: string, args: readonly string[]) {
    this.#program = program;
    this.#args = args;
  }

  /** For a program that ends when the kubelet is not there yet, and counts on its pod to start it again. */
  startsAgain(): this {
    this.#endsByItself = true;
    return this;
  }

  launch(): void {
    assert.equal(this.#process, undefined, `${this.#program} runs already`);
    const child = spawn(this.#program, this.#args, { stdio: 'ignore' });
    this.#process = child;
    if (this.#endsByItself) child.once('exit', () => void this.#startAgain(child));
  }

  get isRunning(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null;
  }

  /** Without a chance to remove its sockets. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async #startAgain(ended: ChildProcess): Promise<void> {
    await delay(START_AGAIN_MS);
    if (this.#process !== ended) return;
    this.#process = undefined;
    this.launch();
  }
}
