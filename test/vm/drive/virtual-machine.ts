/**
 * The virtual machine as a test outside sees it: power on, power off by pulling
 * the plug, and what goes on inside by way of its agent. `vm.sh drive` made its
 * disks and says by the environment how it is started.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { GuestAgent } from './guest-agent.ts';
import type { Machine } from './machine.ts';
import { setting } from './setting.ts';

const BOOT_DEADLINE_MS = 1_800_000;
const END_DEADLINE_MS = 1_800_000;

export class VirtualMachine implements Machine {
  readonly agent: GuestAgent;
  readonly #directory = setting('VM_DIR');
  #process: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor() {
    this.agent = new GuestAgent(join(this.#directory, 'agent'));
  }

  /** Powers on; resolves when the agent inside answers. */
  async boot(): Promise<void> {
    const socket = join(this.#directory, 'agent');
    const log = openSync(join(this.#directory, 'qemu'), 'a');
    const options = [
      ...setting('VM_OPTIONS').split('\n'),
      ...['-nic', 'user,model=virtio-net-pci', '-serial', `file:${join(this.#directory, 'console')}`],
      ...['-device', 'virtio-serial', '-chardev', `socket,id=agent,path=${socket},server=on,wait=off`],
      ...['-device', 'virtserialport,chardev=agent,name=org.qemu.guest_agent.0'],
      ...['-append', setting('VM_KERNEL_LINE')],
    ];
    const child = spawn(setting('VM_QEMU'), [setting('VM_EMULATOR'), ...options], {
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#process = child;
    this.#ended = new Promise((resolve) => child.once('exit', resolve));
    await this.waitForAgent();
  }

  /** After a boot, also one that the machine did by itself. */
  async waitForAgent(): Promise<void> {
    await eventually(
      'the agent inside',
      async () => {
        await this.agent.ping(60_000);
        return true;
      },
      BOOT_DEADLINE_MS,
      () => this.#process?.exitCode !== null || this.#process.signalCode !== null,
    );
  }

  /** Which boot this is; another after each. */
  bootId(): Promise<string> {
    return this.agent.script('cat /proc/sys/kernel/random/boot_id');
  }

  /** Pulls the plug: what the kernel inside had not sent to its disks is lost. */
  async cutPower(): Promise<void> {
    this.#process?.kill('SIGKILL');
    await this.#ended;
  }

  /** Resolves when the machine has powered itself off. */
  async off(): Promise<void> {
    const isOver = await Promise.race([
      this.#ended.then(() => true),
      delay(END_DEADLINE_MS, false, { ref: false }),
    ]);
    assert.ok(isOver, `the machine is not off: ${this.console()}`);
  }

  /** The end of what the kernel printed. */
  console(): string {
    return readFileSync(join(this.#directory, 'console'), 'latin1').slice(-4_000);
  }
}
