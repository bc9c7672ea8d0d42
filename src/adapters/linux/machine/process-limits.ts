/**
 * What the kernel grants this process: how late it is killed for lack of
 * memory, and how many files it may open. A host may refuse either; the agent
 * then runs with what it has.
 */
import { writeFile } from 'node:fs/promises';
import { toHostError } from '../host-error.ts';
import { runProgram } from '../program/run-program.ts';

/** Rejects with AgentError where that takes a right the process does not have. */
export async function setOwnOomScore(score: number, path = '/proc/self/oom_score_adj'): Promise<void> {
  try {
    await writeFile(path, String(score));
  } catch (error) {
    throw toHostError('write', path, error);
  }
}

/** Soft and hard limit. Node has no call for it, so a program of the host does it. Rejects with AgentError. */
export async function setOwnMaxFiles(count: number, program = 'prlimit'): Promise<void> {
  const args = [`--pid=${process.pid}`, `--nofile=${count}:${count}`];
  await runProgram(program, args, 'set the limit of open files to', String(count));
}
