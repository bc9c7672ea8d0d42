/** A machine of the kubeadm cluster (machine.sh), as the tests see it: programs that run on it, and its files. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const ENTER = join(import.meta.dirname, 'enter.sh');
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export class Machine {
  readonly name: 'control-plane' | 'worker';
  /** The name of its node. */
  readonly node: string;
  /** Where its runtime listens. */
  readonly runtime: string;

  constructor(name: 'control-plane' | 'worker') {
    this.name = name;
    this.node = `kts-${name}`;
    this.runtime = `unix://${requireVariable('KUBELET_TS_HOST_DIR')}/instances/kubeadm-${name}/containerd.sock`;
  }

  /** Its standard output; rejects with both outputs. */
  async run(...words: readonly string[]): Promise<string> {
    return this.#run(words, undefined);
  }

  async read(path: string): Promise<string> {
    return this.run('cat', path);
  }

  async write(path: string, text: string): Promise<void> {
    await this.#run(['tee', path], text);
  }

  /** Names in a directory; none when it is not there. */
  async list(path: string): Promise<readonly string[]> {
    const output = await this.run('find', path, '-mindepth', '1', '-maxdepth', '1', '-printf', '%f\\n').catch(
      () => '',
    );
    return output.split('\n').filter((line) => line !== '');
  }

  /** `kubectl` as administrator; on the control plane only. */
  async kubectl(...words: readonly string[]): Promise<string> {
    return this.run('kubectl', ...words);
  }

  async apply(...objects: readonly object[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    await this.#run(['kubectl', 'apply', '-f', '-'], JSON.stringify(list));
  }

  async get<T>(...words: readonly string[]): Promise<T> {
    return JSON.parse(await this.kubectl('get', ...words, '-o', 'json'));
  }

  async #run(words: readonly string[], input: string | undefined): Promise<string> {
    const running = execute(ENTER, [this.name, ...words], { maxBuffer: MAX_OUTPUT_BYTES });
    running.child.stdin?.end(input);
    try {
      return (await running).stdout;
    } catch (error) {
      assert.ok(error instanceof Error);
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`${this.name}: "${words.join(' ')}" failed\n${stdout}\n${stderr}`, { cause: error });
    }
  }
}

/** Set by kubeadm.sh. */
export function requireVariable(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run these tests with "make cluster-kubeadm"`);
  return value;
}
