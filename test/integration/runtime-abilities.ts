/**
 * What the runtime under a node can do beyond the basics, as it says itself.
 * A test of something it cannot is skipped with the reason; where the runc
 * that the host scripts build is at hand there is no reason, and it fails.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { RuntimeStatus } from '../../src/ports/runtime/container-runtime.ts';
import { HOST_DIR, type TestNode } from './node.ts';

export type Ability = Exclude<keyof RuntimeStatus['handlers'][number], 'name'>;

/** True when the default handler of the node's runtime can do it. Otherwise the test is marked as skipped. */
export async function isAble(t: TestContext, node: TestNode, ability: Ability): Promise<boolean> {
  const { handlers } = await node.cri.reader.status({});
  if (handlers.some((handler) => handler.name === '' && handler[ability])) return true;
  const built = globSync(join(HOST_DIR, 'bin', 'runc-*', 'runc'));
  assert.deepEqual(
    built,
    [],
    `containerd does not use this runc, or it cannot do ${ability}: run "scripts/host/containerd.sh up 2.1"`,
  );
  t.skip(`the runc of this host cannot do ${ability}; run "scripts/host/runc.sh --fetch-go"`);
  return false;
}
