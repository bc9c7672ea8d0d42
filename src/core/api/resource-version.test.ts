import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOlderVersion } from './resource-version.ts';

test('isOlderVersion compares numbers of any length, and says no where there is none', () => {
  const rows: [string | undefined, string | undefined, boolean][] = [
    ['9', '10', true],
    ['10', '9', false],
    ['10', '10', false],
    ['9007199254740992', '9007199254740993', true],
    ['', '10', false],
    [undefined, '10', false],
    ['9', undefined, false],
    ['9', 'abc', false],
  ];
  for (const [version, than, expected] of rows)
    assert.equal(isOlderVersion(version, than), expected, `${version} ${than}`);
});
