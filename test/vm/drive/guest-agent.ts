/**
 * Runs programs inside the machine, through QEMU's guest agent: JSON lines over
 * a socket. Every call has a connection of its own, because an agent that went
 * down with its machine answers the one that was open before with nothing.
 */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Inside, Output } from './machine.ts';

const ANSWER_MS = 600_000;
const POLL_MS = 300;

interface ExecStatus {
  readonly exited: boolean;
  readonly exitcode?: number;
  readonly 'out-data'?: string;
  readonly 'err-data'?: string;
}

export class GuestAgent implements Inside {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** Rejects when there is no answer within `timeoutMs`. */
  async ping(timeoutMs: number): Promise<void> {
    await this.#call('guest-ping', {}, timeoutMs);
  }

  /** Starts a program and does not wait for it. */
  start(path: string, ...args: string[]): Promise<number> {
    return this.#exec({ path, arg: args, 'capture-output': true });
  }

  /** Puts a file in place and on the disk. */
  async write(path: string, content: string): Promise<void> {
    const text = 'mkdir -p "$(dirname "$0")" && cat >"$0.new" && mv "$0.new" "$0" && sync';
    const input = Buffer.from(content).toString('base64');
    const arg = ['-c', text, path];
    await this.#finish(
      await this.#exec({ path: '/bin/bash', arg, 'input-data': input, 'capture-output': true }),
    );
  }

  /** Runs a program to its end. */
  async run(path: string, ...args: string[]): Promise<Output> {
    return this.#finish(await this.start(path, ...args));
  }

  /** What the shell script prints; rejects unless it ends well. */
  async script(text: string): Promise<string> {
    const { code, text: printed } = await this.run('/bin/bash', '-c', text);
    if (code !== 0) throw new Error(`"${text}" ended with ${code}: ${printed}`);
    return printed.trim();
  }

  async #exec(args: object): Promise<number> {
    const { pid } = (await this.#call('guest-exec', args)) as { pid: number };
    return pid;
  }

  async #finish(pid: number): Promise<Output> {
    for (;;) {
      const status = (await this.#call('guest-exec-status', { pid })) as ExecStatus;
      if (status.exited) {
        const texts = [status['out-data'], status['err-data']].map((data) => decode(data ?? ''));
        return { code: status.exitcode ?? -1, text: texts.join('') };
      }
      await delay(POLL_MS);
    }
  }

  #call(execute: string, args: object, timeoutMs = ANSWER_MS): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#socketPath);
      const end = (action: () => void): void => {
        clearTimeout(timer);
        socket.destroy();
        action();
      };
      const fail = (why: string): void => end(() => reject(new Error(`${execute}: ${why}`)));
      const timer = setTimeout(() => fail(`no answer within ${timeoutMs} ms`), timeoutMs);
      let seen = '';
      socket.on('error', ({ message }) => fail(message));
      socket.on('close', () => fail('the connection ended'));
      socket.on('data', (chunk) => {
        seen += chunk.toString('latin1');
        // What stands before the mark is the answer to a call that was given up.
        const line = seen.slice(seen.indexOf('\xff') + 1);
        const lines = seen.includes('\xff') ? line.split('\n').filter(Boolean) : [];
        if (lines.length < 2 || !line.endsWith('\n')) return;
        const answer = JSON.parse(lines[1] ?? '') as { return?: unknown; error?: { desc: string } };
        if (answer.error === undefined) end(() => resolve(answer.return));
        else fail(answer.error.desc);
      });
      const id = Math.floor(Math.random() * 1e9);
      socket.write(Buffer.from([0xff]));
      socket.write(
        `${JSON.stringify({ execute: 'guest-sync-delimited', arguments: { id } })}\n${JSON.stringify({ execute, arguments: args })}\n`,
      );
    });
  }
}

function decode(data: string): string {
  return Buffer.from(data, 'base64').toString('utf8');
}
