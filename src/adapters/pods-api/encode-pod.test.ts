import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { encodePod } from './encode-pod.ts';

/** A pod with a value in every field of the API, and what upstream's own type makes of it. */
const EVERY_FIELD = new URL('../../../test/samples/every-field-pod.json', import.meta.url);
const UPSTREAM = {
  bytes: 12_988,
  sha256: '4628b15f767b4dcfb247cdb98d2c35bcf51f65cdcfcb6374a1a0bdda6f30c768',
};

const hex = (pod: object): string => Buffer.from(encodePod(pod)).toString('hex');

describe('encodePod', () => {
  it('writes every field of a pod as upstream does, byte for byte', () => {
    const bytes = encodePod(JSON.parse(readFileSync(EVERY_FIELD, 'utf8')));
    assert.equal(bytes.byteLength, UPSTREAM.bytes);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), UPSTREAM.sha256);
  });

  it('leaves out what is not there, and writes zero where it is', () => {
    assert.equal(hex({}), '');
    assert.equal(hex({ metadata: { name: 'a', creationTimestamp: null } }), '0a030a0161');
    assert.equal(hex({ spec: { terminationGracePeriodSeconds: 0 } }), '12022000');
  });

  it('leaves out what has another type than its field, and names of no field', () => {
    const odd = {
      kind: 'Pod',
      metadata: { name: 7, labels: ['x'], generation: 1.5, uid: { toString: 'x' }, creationTimestamp: 'x' },
      spec: { containers: 'none', volumes: [3, null], hostNetwork: 'yes', constructor: 'x' },
    };
    assert.equal(hex(odd), '0a001200');
  });

  it('takes a quantity that is a number, and a port by name or number', () => {
    assert.equal(hex({ spec: { overhead: { cpu: 2 } } }), '120d82020a0a0363707512030a0132');
    const probe = (port: unknown): string =>
      hex({ spec: { containers: [{ livenessProbe: { tcpSocket: { port } } }] } });
    assert.notEqual(probe('web'), probe(80));
    assert.equal(probe(80), '1210120e520c0a0a1a080a06080010501a00');
  });
});
