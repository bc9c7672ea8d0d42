import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CsiCapability, toCsiAccessMode } from './csi-access.ts';
import { agentSetsGroup, findModeProblem, type GroupQuestion, needsAttach } from './csi-driver-rules.ts';
import { chooseCsiVersion, compareVersions } from './csi-version.ts';

describe('agentSetsGroup', () => {
  const plain: GroupQuestion = {
    fsGroup: 1,
    readOnly: false,
    fsType: 'ext4',
    accessModes: ['ReadWriteOnce'],
    driverSetsGroup: false,
  };
  const cases: [
    name: string,
    policy: string | undefined,
    change: Partial<GroupQuestion>,
    expected: boolean,
  ][] = [
    ['by default for one node with a file system', undefined, {}, true],
    ['by default for one pod', undefined, { accessModes: ['ReadWriteOncePod'] }, true],
    ['by default for a volume of the pod itself', undefined, { accessModes: undefined }, true],
    ['not by default for many nodes', undefined, { accessModes: ['ReadWriteMany'] }, false],
    ['not by default without a file system type', undefined, { fsType: '' }, false],
    ['always with File', 'File', { fsType: '', accessModes: ['ReadWriteMany'] }, true],
    ['never with None', 'None', {}, false],
    ['not for a volume that is only read', 'File', { readOnly: true }, false],
    ['not without a group', 'File', { fsGroup: undefined }, false],
    ['not when the driver does', 'File', { driverSetsGroup: true }, false],
  ];
  for (const [name, fsGroupPolicy, change, expected] of cases)
    it(name, () => {
      const driver = fsGroupPolicy === undefined ? undefined : { fsGroupPolicy };
      assert.equal(agentSetsGroup(driver, { ...plain, ...change }), expected);
    });
});

describe('findModeProblem', () => {
  it('lets drivers without an object have persistent volumes only', () => {
    assert.equal(findModeProblem('d', undefined, 'Persistent'), undefined);
    assert.equal(
      findModeProblem('d', undefined, 'Ephemeral'),
      'volume mode "Ephemeral" not supported by driver d (no CSIDriver object)',
    );
  });
  it('follows the modes of the object', () => {
    assert.equal(findModeProblem('d', { volumeLifecycleModes: ['Ephemeral'] }, 'Ephemeral'), undefined);
    assert.equal(
      findModeProblem('d', { volumeLifecycleModes: ['Ephemeral'] }, 'Persistent'),
      'volume mode "Persistent" not supported by driver d (only supports ["Ephemeral"])',
    );
  });
});

describe('needsAttach', () => {
  it('is required unless the driver declines it', () => {
    assert.deepEqual([undefined, {}, { attachRequired: false }].map(needsAttach), [true, true, false]);
  });
});

describe('toCsiAccessMode', () => {
  const precise = new Set<CsiCapability>(['single-node-multi-writer']);
  const cases: [mode: string, plain: string, precise: string][] = [
    ['ReadWriteOnce', 'single-node-writer', 'single-node-multi-writer'],
    ['ReadOnlyMany', 'multi-node-reader-only', 'multi-node-reader-only'],
    ['ReadWriteMany', 'multi-node-multi-writer', 'multi-node-multi-writer'],
    ['ReadWriteOncePod', 'single-node-writer', 'single-node-single-writer'],
  ];
  for (const [mode, plain, exact] of cases)
    it(`${mode} is ${plain}, or ${exact} where the driver supports single-writer modes`, () => {
      assert.equal(toCsiAccessMode([mode], new Set()), plain);
      assert.equal(toCsiAccessMode([mode], precise), exact);
    });
  it('is ReadWriteOnce for a volume of the pod itself and nothing for the unknown', () => {
    assert.equal(toCsiAccessMode(undefined, new Set()), 'single-node-writer');
    assert.equal(toCsiAccessMode(['Sometimes'], new Set()), undefined);
  });
});

describe('chooseCsiVersion', () => {
  const cases: [offered: string[], chosen: string | undefined][] = [
    [['1.0.0'], '1.0.0'],
    [['0.3.0', 'v1.2.0', '1.10.0'], '1.10.0'],
    [['2.0.0', '1.1.0'], '1.1.0'],
    [['0.3.0'], undefined],
    [['2.0.0', 'nonsense'], undefined],
    [[], undefined],
  ];
  for (const [offered, chosen] of cases)
    it(`[${offered.join(' ')}] gives ${chosen ?? 'nothing'}`, () =>
      assert.equal(chooseCsiVersion(offered)?.text, chosen));
  it('compares number by number', () => {
    const of = (numbers: number[]) => ({ numbers, text: '' });
    assert.ok(compareVersions(of([1, 2]), of([1, 10, 0])) < 0);
    assert.equal(compareVersions(of([1, 2]), of([1, 2, 0])), 0);
  });
});
