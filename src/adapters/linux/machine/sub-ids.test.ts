import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readUserIdRange, type SubIdParts } from './sub-ids.ts';

const L = 65_536;
const printing =
  (text: string): NonNullable<SubIdParts['run']> =>
  async () =>
    text;
const host = (passwd: string, text: string, hasProgram = true): SubIdParts => ({
  readPasswd: async () => passwd,
  hasProgram: async () => hasProgram,
  run: printing(text),
});
const USER = 'root:x:0:0\nkubelet:x:900:900\n';

describe('readUserIdRange', () => {
  it('has all ids but the first where nothing was set aside', async () => {
    const all = { first: L, length: 2 ** 32 - L, idsPerPod: L };
    assert.deepEqual(await readUserIdRange(L, 110, host('kubelets:x:1:1\n', '')), all);
    assert.deepEqual(await readUserIdRange(L, 110, host(USER, '', false)), all);
  });

  it('has what was set aside for the user kubelet', async () => {
    const text = `0: kubelet ${2 * L} ${110 * L}\n`;
    const range = { first: 2 * L, length: 110 * L, idsPerPod: L };
    assert.deepEqual(await readUserIdRange(L, 110, host(USER, text)), range);
  });

  it('refuses what does not do for all pods', async () => {
    const few = readUserIdRange(L, 110, host(USER, `0: kubelet ${L} ${L}\n`));
    await assert.rejects(few, /there are ids for 1 pods, but the node takes 110$/);
    await assert.rejects(readUserIdRange(L, 110, host(USER, '')), /must report one range/);
    const huge = readUserIdRange(2 ** 30, 3, host('', ''));
    await assert.rejects(huge, /there are ids for 2 pods, but the node takes 3$/);
  });
});
