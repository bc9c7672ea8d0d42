/** Starts a model runtime as a process of its own, and ends it when disposed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ModelRuntime extends AsyncDisposable {
  readonly endpoint: string;
  /** Calls so far, and the bytes of their answers, by name. */
  calls(): Promise<Readonly<Record<string, { readonly count: number; readonly bytes: number }>>>;
}

const PROGRAM = join(import.meta.dirname, 'model-runtime.ts');

export async function startModelRuntime(delayMs = 20): Promise<ModelRuntime> {
  const directory = await mkdtemp(join(tmpdir(), 'model-runtime-'));
  const socket = join(directory, 'runtime.sock');
  const flags = ['--disable-warning=ExperimentalWarning', PROGRAM, socket, String(delayMs)];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  return {
    endpoint: `unix://${socket}`,
    async calls() {
      const answer = once(lines, 'line');
      child.kill('SIGUSR2');
      const [line] = await answer;
      return JSON.parse(String(line));
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}
