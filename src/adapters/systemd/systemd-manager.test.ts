import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toUnitObject } from './systemd-manager.ts';

describe('toUnitObject', () => {
  const names: [unit: string, escaped: string][] = [
    ['kubepods.slice', 'kubepods_2eslice'],
    ['kubepods-besteffort-pod1_2.slice', 'kubepods_2dbesteffort_2dpod1_5f2_2eslice'],
    ['-.slice', '_2d_2eslice'],
    ['1st.service', '_31st_2eservice'],
    ['ä.slice', '_c3_a4_2eslice'],
  ];
  for (const [unit, escaped] of names)
    it(`names ${unit} as systemd does`, () =>
      assert.equal(toUnitObject(unit).path, `/org/freedesktop/systemd1/unit/${escaped}`));
});
