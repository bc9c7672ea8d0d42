import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  checkUserIdRange,
  chooseSlot,
  parseMapping,
  parseSubIds,
  renderMapping,
  toDefaultRange,
  type UserIdRange,
} from './user-ids.ts';

const L = 65_536;
const range: UserIdRange = { first: L, length: 3 * L, idsPerPod: L };

describe('toDefaultRange', () => {
  it('has all ids but the first slot', () => {
    assert.deepEqual(toDefaultRange(L), { first: L, length: 2 ** 32 - L, idsPerPod: L });
  });
});

describe('parseSubIds', () => {
  it('reads one range that holds for users and groups', () => {
    const text = `0: kubelet ${L} ${3 * L}\n`;
    assert.deepEqual(parseSubIds(text, text, L), { ok: true, value: range });
  });

  it('refuses anything else', () => {
    const line = `0: kubelet ${L} ${L}\n`;
    assert.equal(parseSubIds(line, line.replace('kubelet', 'kubelet '), L).ok, false);
    for (const text of ['', `${line}1: kubelet 1 2\n`, '0: kubelet 1\n', '0: kubelet a b\n'])
      assert.equal(parseSubIds(text, text, L).ok, false, text);
  });
});

describe('checkUserIdRange', () => {
  it('requires whole slots, one for every pod, and none of the node’s', () => {
    assert.equal(checkUserIdRange(range, 3).ok, true);
    for (const wrong of [
      { ...range, first: L + 1 },
      { ...range, first: 0 },
      { ...range, length: L + 1 },
    ])
      assert.equal(checkUserIdRange(wrong, 1).ok, false, JSON.stringify(wrong));
    assert.equal(checkUserIdRange(range, 4).ok, false);
  });

  it('does not count the slot with the last id, which the kernel never maps', () => {
    const huge = toDefaultRange(2 ** 30);
    assert.equal(checkUserIdRange(huge, 2).ok, true);
    assert.equal(checkUserIdRange(huge, 3).ok, false);
  });
});

describe('parseMapping', () => {
  const mapping = { hostId: 2 * L, containerId: 0, length: L };

  it('reads what renderMapping wrote, which is what upstream writes', () => {
    const text = renderMapping(mapping);
    const one = `[{"hostId":${2 * L},"containerId":0,"length":${L}}]`;
    assert.equal(text, `{"uidMappings":${one},"gidMappings":${one}}`);
    assert.deepEqual(parseMapping(text, range), { ok: true, value: mapping });
  });

  const wrong: [name: string, text: string][] = [
    ['no JSON', '{'],
    ['nothing', '{}'],
    ['null', 'null'],
    ['different groups', JSON.stringify({ uidMappings: [mapping], gidMappings: [] })],
    ['two mappings', JSON.stringify({ uidMappings: [mapping, mapping], gidMappings: [mapping, mapping] })],
    ['another start', renderMapping({ ...mapping, containerId: 1 })],
    ['another length', renderMapping({ ...mapping, length: 1 })],
    ['ids of the node', renderMapping({ ...mapping, hostId: 0 })],
    ['ids behind the range', renderMapping({ ...mapping, hostId: 4 * L })],
    ['a place between slots', renderMapping({ ...mapping, hostId: L + 1 })],
  ];
  for (const [name, text] of wrong)
    it(`refuses ${name}`, () => assert.equal(parseMapping(text, range).ok, false));
});

describe('chooseSlot', () => {
  it('takes the slot the random number selects, or the next free one', () => {
    const at = (random: number, ...taken: number[]) => {
      const chosen = chooseSlot(range, new Set(taken.map((slot) => slot * L)), random);
      return chosen.ok ? chosen.value.hostId / L : chosen.message;
    };
    assert.equal(at(0), 1);
    assert.equal(at(0.99), 3);
    assert.equal(at(0.99, 3), 1);
    assert.equal(at(0.4, 1, 2), 3);
    assert.equal(at(0, 1, 2, 3), 'could not find an empty slot to allocate a user namespace');
  });
});
