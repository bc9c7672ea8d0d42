import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLIENT_SIGNER, CLIENT_USAGES, decideSigningOutcome, toSigningRequest } from './signing-request.ts';

const APPROVED = { type: 'Approved', reason: 'AutoApproved' };

function request(status: object, uid = 'u1') {
  return {
    metadata: { name: 'csr-1', uid },
    spec: { request: '', signerName: CLIENT_SIGNER },
    status,
  };
}

describe('decideSigningOutcome', () => {
  for (const [what, status, expected] of [
    ['nothing yet', {}, { kind: 'pending' }],
    ['an approval without a certificate', { conditions: [APPROVED] }, { kind: 'pending' }],
    ['a certificate without approval', { certificate: 'QQ==' }, { kind: 'pending' }],
    ['both', { conditions: [APPROVED], certificate: 'QQ==' }, { kind: 'issued', certificate: 'QQ==' }],
    [
      'a denial',
      { conditions: [{ type: 'Denied', reason: 'No', message: 'not you' }] },
      { kind: 'refused', message: 'it is denied, reason: No, message: not you' },
    ],
    [
      'a failure after the approval',
      { conditions: [APPROVED, { type: 'Failed', reason: 'SignerValidationFailure' }], certificate: 'QQ==' },
      { kind: 'refused', message: 'it failed, reason: SignerValidationFailure, message: ' },
    ],
  ] as const)
    it(`reads ${what}`, () => {
      assert.deepEqual(decideSigningOutcome(request(status), 'u1'), expected);
    });

  it('ignores the answer to a request with another UID', () => {
    const issued = request({ conditions: [APPROVED], certificate: 'QQ==' }, 'u2');
    assert.equal(decideSigningOutcome(issued, 'u1').kind, 'refused');
  });
});

describe('toSigningRequest', () => {
  it('lets the API server generate a name unless one is given', () => {
    const parts = { request: 'QQ==', signerName: CLIENT_SIGNER, usages: CLIENT_USAGES };
    assert.deepEqual(toSigningRequest(parts), {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { generateName: 'csr-' },
      spec: parts,
    });
    const named = toSigningRequest({ ...parts, name: 'node-csr-x' }) as { metadata: object };
    assert.deepEqual(named.metadata, { name: 'node-csr-x' });
  });
});
