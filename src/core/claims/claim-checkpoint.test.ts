import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { crc32 } from '../../base/text/crc32.ts';
import { parseClaims, renderClaims } from './claim-checkpoint.ts';
import type { ClaimInfo } from './claim-info.ts';

/** Written by the upstream kubelet's own code, version 1.36.4. */
const EMPTY =
  '{"Data":"{\\"kind\\":\\"DRACheckpoint\\",\\"apiVersion\\":\\"checkpoint.dra.kubelet.k8s.io/v1\\",\\"ClaimInfoStateList\\":null}","Checksum":4010664294}';
const ONE =
  '{"Data":"{\\"kind\\":\\"DRACheckpoint\\",\\"apiVersion\\":\\"checkpoint.dra.kubelet.k8s.io/v1\\",\\"ClaimInfoStateList\\":[{\\"ClaimUID\\":\\"u1\\",\\"ClaimName\\":\\"c1\\",\\"Namespace\\":\\"ns\\",\\"PodUIDs\\":{\\"p1\\":{},\\"p2\\":{}},\\"DriverState\\":{\\"d.io\\":{\\"Devices\\":[{\\"PoolName\\":\\"pool\\",\\"DeviceName\\":\\"dev\\",\\"ShareID\\":null,\\"RequestNames\\":[\\"r\\"],\\"CDIDeviceIDs\\":[\\"d.io/x=1\\"]}]}}}]}","Checksum":2597459421}';

const CLAIM: ClaimInfo = {
  uid: 'u1',
  name: 'c1',
  namespace: 'ns',
  podUids: new Set(['p2', 'p1']),
  drivers: new Map([
    [
      'd.io',
      [{ requestNames: ['r'], pool: 'pool', device: 'dev', cdiIds: ['d.io/x=1'], shareId: undefined }],
    ],
  ]),
};

describe('the claim checkpoint', () => {
  it('is written as upstream writes it', () => {
    assert.equal(renderClaims([]), EMPTY);
    assert.equal(renderClaims([CLAIM]), ONE);
  });

  it('is read back', () => {
    assert.deepEqual(parseClaims(EMPTY), { claims: [] });
    const parsed = parseClaims(ONE);
    assert.ok(!('problem' in parsed));
    assert.deepEqual(parsed.claims, [CLAIM]);
  });

  it('takes any data with a right checksum without failing', () => {
    const list = fc.array(
      fc.oneof(fc.jsonValue(), fc.constant({ ClaimUID: 'u', ClaimName: 'c', Namespace: 'n' })),
    );
    fc.assert(
      fc.property(fc.oneof(list, fc.jsonValue()), (ClaimInfoStateList) => {
        const data = JSON.stringify({ kind: 'DRACheckpoint', ClaimInfoStateList });
        const parsed = parseClaims(JSON.stringify({ Data: data, Checksum: crc32(data) }));
        if (!('problem' in parsed)) assert.equal(typeof renderClaims(parsed.claims), 'string');
      }),
    );
  });

  it('says what is wrong with other text', () => {
    assert.deepEqual(parseClaims('no'), { problem: 'it is not a checkpoint' });
    assert.deepEqual(parseClaims(ONE.replace('p1', 'p3')), { problem: 'checkpoint is corrupted' });
  });
});
