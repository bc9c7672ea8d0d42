/**
 * Settings of pods and containers, each seen from inside: a pod for each that
 * writes what it sees into its termination message. All pods of a table run at
 * once on one node, so that a setting costs little more than its pod.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { lastWords, reportingContainer, waitEnded } from './ended-pods.ts';
import type { TestNode } from './node.ts';
import { samplePod } from './sample-pods.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface SettingCase {
  readonly name: string;
  readonly script: string;
  readonly securityContext?: Fields;
  readonly spec?: Fields;
  readonly container?: Fields;
  readonly says: RegExp | string;
}

/** What the kernel says of the process, one `Name: value` a line. */
export const PROCESS_STATUS =
  'grep -E "^(Uid|Gid|Groups|CapEff|NoNewPrivs|Seccomp):" /proc/self/status | tr -s "\\t " " "';

/** Runs all pods, then looks at each as a test of its own. */
export async function checkSettings(
  t: TestContext,
  node: TestNode,
  cases: readonly SettingCase[],
): Promise<void> {
  for (const [index, one] of cases.entries())
    await node.writeManifest(`c${index}.yaml`, toManifest(`c${index}`, one));
  for (const [index, one] of cases.entries())
    await t.test(one.name, async () => {
      const words = lastWords(await waitEnded(node, `c${index}`));
      if (typeof one.says === 'string') assert.equal(words, one.says);
      else assert.match(words, one.says);
    });
}

function toManifest(name: string, one: SettingCase): object {
  const { script, securityContext, spec = {}, container = {} } = one;
  const context = securityContext === undefined ? {} : { securityContext };
  return samplePod(name, {
    restartPolicy: 'Never',
    ...spec,
    containers: [reportingContainer('main', script, { ...container, ...context })],
  });
}
