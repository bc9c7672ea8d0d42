/**
 * The machine's disk booted by `namespaces.sh`: systemd is process 1 in namespaces of this host. What it writes goes to
 * a file system of its own. A cut of its power ends everything at once, and what the kernel had not yet sent to that
 * file system's disk is lost.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import type { Inside, Machine, Output } from './machine.ts';
import { setting } from './setting.ts';

const BOOT_DEADLINE_MS = 120_000;
const END_DEADLINE_MS = 1_800_000;
/** How `namespaces.sh` ends after a reboot. */
const REBOOTED = 129;

class Entrance implements Inside {
  readonly #initPid: () => string;

  constructor(initPid: () => string) {
    this.#initPid = initPid;
  }

  async start(path: string, ...args: string[]): Promise<unknown> {
    return spawn('nsenter', this.#enter(path, args), { stdio: 'ignore' }).unref();
  }

  async write(path: string, content: string): Promise<void> {
    const text = 'mkdir -p "$(dirname "$0")" && cat >"$0.new" && mv "$0.new" "$0" && sync "$0"';
    const { code, text: printed } = await this.#run('/bin/bash', ['-c', text, path], content);
    assert.equal(code, 0, printed);
  }

  run(path: string, ...args: string[]): Promise<Output> {
    return this.#run(path, args, '');
  }

  async script(text: string): Promise<string> {
    const { code, text: printed } = await this.run('/bin/bash', '-c', text);
    if (code !== 0) throw new Error(`"${text}" ended with ${code}: ${printed}`);
    return printed.trim();
  }

  #run(path: string, args: readonly string[], input: string): Promise<Output> {
    return new Promise((resolve) => {
      const child = execFile('nsenter', this.#enter(path, args), (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), text: stdout + stderr });
      });
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
  }

  #enter(path: string, args: readonly string[]): string[] {
    const namespaces = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup'];
    return ['--target', this.#initPid(), ...namespaces, '--', path, ...args];
  }
}

export class NamespacedMachine implements Machine {
  readonly agent: Inside = new Entrance(() => this.#initPid());
  readonly #directory = setting('VM_DIR');
  #boots = 0;
  #isWanted = false;
  #process: ChildProcess | undefined;
  #off: Promise<unknown> = Promise.resolve();

  async boot(): Promise<void> {
    this.#isWanted = true;
    this.#off = this.#run();
    await this.#waitForSystem();
  }

  async bootId(): Promise<string> {
    await this.#waitForSystem();
    return String(this.#boots);
  }

  async cutPower(): Promise<void> {
    this.#isWanted = false;
    this.#process?.kill('SIGTERM');
    await this.#off;
  }

  async off(): Promise<void> {
    const isOver = await Promise.race([
      this.#off.then(() => true),
      delay(END_DEADLINE_MS, false, { ref: false }),
    ]);
    assert.ok(isOver, 'the system is not down');
  }

  /** From power-on to power-off: a system that reboots is started again. */
  async #run(): Promise<void> {
    let status: unknown;
    do {
      const log = openSync(join(this.#directory, 'console'), 'a');
      // Ends with us, however we end.
      const program = ['--pdeathsig', 'TERM', setting('VM_NAMESPACES')];
      const args = [...program, setting('VM_DISK'), setting('VM_PAYLOAD'), this.#directory, 'vm.node'];
      const child = spawn('setpriv', args, { stdio: ['ignore', log, log] });
      closeSync(log);
      this.#process = child;
      this.#boots++;
      status = await new Promise((resolve) => child.once('exit', resolve));
    } while (this.#isWanted && status === REBOOTED);
  }

  #waitForSystem(): Promise<true> {
    return eventually(
      'the system inside',
      async () => {
        const { text } = await this.agent.run('/bin/systemctl', 'is-system-running');
        return /^(running|degraded|starting)/.test(text) && (await this.#hasBus());
      },
      BOOT_DEADLINE_MS,
      () => !this.#isWanted,
    );
  }

  async #hasBus(): Promise<true | undefined> {
    const { code } = await this.agent.run('/bin/systemctl', 'is-active', '--quiet', 'systemd-logind.service');
    return code === 0 ? true : undefined;
  }

  #initPid(): string {
    const pid = readFileSync(join(this.#directory, 'init'), 'utf8').trim();
    assert.match(pid, /^[1-9]\d+$/);
    return pid;
  }
}
