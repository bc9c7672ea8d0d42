import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderRuntimeVersion } from './node-runtime-version.ts';

describe('renderRuntimeVersion', () => {
  const table = [
    ['v2.1.9', 'containerd://2.1.9'],
    ['2.1.9', 'containerd://2.1.9'],
    ['1.6.20~ds1', 'containerd://1.6.20'],
    ['v2.0.0-rc.3', 'containerd://2.0.0-rc.3'],
    ['1.7.0+unknown', 'containerd://1.7.0+unknown'],
    ['1.32', 'containerd://1.32'],
    ['1.02.3', 'containerd://1.2.3'],
    ['main', 'containerd://Unknown'],
    ['7', 'containerd://Unknown'],
    [undefined, 'containerd://Unknown'],
  ] as const;
  for (const [version, expected] of table)
    it(`${version} is shown as ${expected}`, () => {
      assert.equal(renderRuntimeVersion('containerd', version), expected);
    });
});
