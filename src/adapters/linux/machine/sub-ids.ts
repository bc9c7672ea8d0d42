/**
 * The ids that the administrator set aside for pods: those of the user
 * `kubelet`, where there is one and the host has `getsubids`; else
 * all but the first.
 */
import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { AgentError } from '../../../base/errors.ts';
import { accept } from '../../../base/outcome.ts';
import {
  checkUserIdRange,
  parseSubIds,
  toDefaultRange,
  type UserIdRange,
} from '../../../core/node/user-ids.ts';
import { runProgram } from '../program/run-program.ts';

const USER = 'kubelet';
const PROGRAM = 'getsubids';

export interface SubIdParts {
  readonly readPasswd?: () => Promise<string>;
  readonly hasProgram?: () => Promise<boolean>;
  readonly run?: typeof runProgram;
}

/** Rejects with AgentError when the range cannot be used. */
export async function readUserIdRange(
  idsPerPod: number,
  maxPods: number,
  {
    readPasswd = () => readFile('/etc/passwd', 'utf8').catch(() => ''),
    hasProgram = isOnPath,
    run = runProgram,
  }: SubIdParts = {},
): Promise<UserIdRange> {
  const hasUser = (await readPasswd()).split('\n').some((line) => line.startsWith(`${USER}:`));
  const range =
    hasUser && (await hasProgram())
      ? parseSubIds(
          await run(PROGRAM, [USER], 'read the ids of', USER),
          await run(PROGRAM, ['-g', USER], 'read the ids of', USER),
          idsPerPod,
        )
      : accept(toDefaultRange(idsPerPod));
  const checked = range.ok ? checkUserIdRange(range.value, maxPods) : range;
  if (range.ok && checked.ok) return range.value;
  const why = checked.ok ? '' : checked.message;
  throw new AgentError('failed-precondition', `cannot give pods users of their own: ${why}`);
}

async function isOnPath(): Promise<boolean> {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    const found = await access(join(directory, PROGRAM), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}
