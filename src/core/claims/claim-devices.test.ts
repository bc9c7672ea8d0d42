import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCdiIds, toListedClaims } from './claim-devices.ts';
import type { ClaimInfo } from './claim-info.ts';

const device = (name: string, ...requestNames: string[]) => ({
  requestNames,
  pool: 'p',
  device: name,
  cdiIds: [`x.io/d=${name}`],
  shareId: undefined,
});
const info: ClaimInfo = {
  uid: 'u',
  name: 'c',
  namespace: 'ns',
  podUids: new Set(),
  drivers: new Map([
    ['x.io', [device('a', 'r1'), device('b', 'r2/sub')]],
    ['y.io', [device('any')]],
  ]),
};

describe('toCdiIds', () => {
  it('all devices of a claim, or those of one request and those for any', () => {
    const ids = (request: string | undefined) => toCdiIds([{ info, request }]);
    assert.deepEqual(ids(undefined), ['x.io/d=a', 'x.io/d=b', 'x.io/d=any']);
    assert.deepEqual(ids('r1'), ['x.io/d=a', 'x.io/d=any']);
    assert.deepEqual(ids('r2'), ['x.io/d=b', 'x.io/d=any']);
    assert.deepEqual(ids('r'), ['x.io/d=any']);
  });

  it('an id that two uses name is given once', () => {
    assert.equal(
      toCdiIds([
        { info, request: 'r1' },
        { info, request: undefined },
      ]).length,
      3,
    );
  });
});

describe('toListedClaims', () => {
  it('names driver, pool and device', () => {
    const [listed] = toListedClaims([{ info, request: 'r1' }]);
    assert.deepEqual(listed?.devices[0], {
      driver: 'x.io',
      pool: 'p',
      device: 'a',
      cdiIds: ['x.io/d=a'],
      shareId: undefined,
    });
  });
});
