/**
 * Makes the agent's root directory a shared mount, so that what is mounted in
 * it reaches containers that ask for it (`HostToContainer`), and what such a
 * container mounts reaches the host (`Bidirectional`).
 */
import { AgentError, errorText } from '../../../base/errors.ts';
import { findCoveringMount, findMountsBelow, parseMountinfo, readMountTable } from '../mountinfo.ts';
import { runProgram } from '../program/run-program.ts';
import { realpath } from '../storage/storage-fs.ts';

export interface SharedRootParts {
  readonly readMounts?: () => Promise<string>;
  readonly run?: typeof runProgram;
}

/** Why mounts do not propagate, if so; undefined when all is well. Never rejects because of the host. */
export async function makeRootShared(
  rootDir: string,
  { readMounts = readMountTable, run = runProgram }: SharedRootParts = {},
): Promise<string | undefined> {
  try {
    const root = await realpath(rootDir);
    const mounts = parseMountinfo(await readMounts());
    const covering = findCoveringMount(mounts, root);
    if (covering?.isShared === true) return undefined;
    const below = findMountsBelow(mounts, root).filter((path) => path !== root);
    // A mount on top would hide those of running pods: they would get no updates and leak at their end.
    if (covering?.path !== root && below.length > 0)
      return 'mounts are there already: mount propagation works after a start without pods';
    if (covering?.path !== root) await run('mount', ['--bind', '--', root, root], 'bind', root);
    await run('mount', ['--make-rshared', '--', root], 'share', root);
    return undefined;
  } catch (error) {
    if (error instanceof AgentError || error instanceof Error) return errorText(error);
    throw error;
  }
}
