import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { observe, samplePod, sandbox } from '../../../test/samples/sample-pods.ts';
import { toSandboxId } from '../model/ids.ts';
import type { ObservedSandbox, SandboxNetwork } from '../model/observed-pod.ts';
import { decideSandbox, type SandboxNeed } from './sandbox-need.ts';

const newest = (more: Partial<ObservedSandbox> = {}) =>
  sandbox({ id: toSandboxId('new'), attempt: 3, ...more });
const older = sandbox({ id: toSandboxId('old'), attempt: 2 });
const network = (mode: SandboxNetwork['mode'], ips: readonly string[], reported = true) =>
  newest({ network: { mode, reported, ips } });
const replaced = { kind: 'create', attempt: 4, replaces: toSandboxId('new') } as const;
const { network: _, ...listed } = newest();

const rows: [string, readonly ObservedSandbox[], hostNetwork: boolean, SandboxNeed][] = [
  ['no sandbox', [], false, { kind: 'create', attempt: 0 }],
  ['two ready ones', [newest(), older], false, replaced],
  ['the newest is not ready', [newest({ ready: false })], false, replaced],
  ['only an older one is ready', [newest({ ready: false }), older], false, replaced],
  [
    'an older one is not ready',
    [newest(), { ...older, ready: false }],
    false,
    { kind: 'keep', sandbox: newest() },
  ],
  ['the pod wants the host network', [newest()], true, { kind: 'create', attempt: 4 }],
  ['the pod wants its own network', [network('node', [])], false, { kind: 'create', attempt: 4 }],
  ['the address was lost', [network('pod', [])], false, replaced],
  [
    'no network was reported',
    [network('pod', [], false)],
    false,
    { kind: 'keep', sandbox: network('pod', [], false) },
  ],
  [
    'the host network has no address',
    [network('node', [])],
    true,
    { kind: 'keep', sandbox: network('node', []) },
  ],
  ['its status was not read', [listed], true, { kind: 'keep', sandbox: listed }],
  ['all is well', [newest()], false, { kind: 'keep', sandbox: newest() }],
];

describe('decideSandbox', () => {
  for (const [criterion, sandboxes, hostNetwork, expected] of rows) {
    it(`${expected.kind}s one when ${criterion}`, () => {
      assert.deepEqual(decideSandbox(samplePod({ hostNetwork }), observe([], sandboxes)), expected);
    });
  }
});
