import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/samples/random-text.ts';
import * as cri from './cri.ts';
import { Reader, Writer } from './wire.ts';

const plain = { noNullPrototype: true } as const;
const text = anyText({ maxLength: 200 });
const map = fc.dictionary(fc.oneof(text, fc.constant('__proto__')), text, { maxKeys: 5, noNullPrototype: true });

describe('generated codec', () => {
  it('writes the bytes the format asks for', () => {
    const bytes = cri.encodeLinuxContainerSecurityContext({
      runAsUser: { value: 0 },
      runAsGroup: { value: -1 },
      supplementalGroups: [1, 300],
      seccomp: { profileType: 2, localhostRef: 'é' },
    });
    const expected = '2a00' + '620b08ffffffffffffffffff01' + '40014' + '0ac02' + '7a0608021202c3a9';
    assert.equal(Buffer.from(bytes).toString('hex'), expected);
  });

  it('map key __proto__: is read and written like any other', () => {
    const labels = JSON.parse('{"__proto__":"x","a":"b"}') as Record<string, string>;
    const read = cri.decodeContainer(cri.encodeContainer({ labels }));
    assert.equal(JSON.stringify(read.labels), '{"__proto__":"x","a":"b"}');
  });

  it('reads packed and unpacked numbers alike', () => {
    const packed = Buffer.from('42' + '03' + '01ac02', 'hex');
    const unpacked = Buffer.from('4001' + '40ac02', 'hex');
    for (const bytes of [packed, unpacked])
      assert.deepEqual(cri.decodeLinuxContainerSecurityContext(bytes).supplementalGroups, [1, 300]);
  });

  it('gives every field of an empty message its zero value', () => {
    assert.deepEqual(cri.decodeContainer(new Uint8Array(0)), {
      id: '',
      podSandboxId: '',
      metadata: undefined,
      image: undefined,
      imageRef: '',
      state: 0,
      createdAt: 0,
      labels: {},
      annotations: {},
      imageId: '',
    });
  });

  it('reads back what it wrote', () => {
    const message = fc.record({
      id: text,
      metadata: fc.option(fc.record({ name: text, attempt: fc.nat(0xffffffff) }, plain), { nil: undefined }),
      state: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      createdAt: fc.maxSafeInteger(),
      labels: map,
      annotations: map,
    }, plain);
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), (containers) => {
        const read = cri.decodeListContainersResponse(cri.encodeListContainersResponse({ containers }));
        assert.deepEqual(
          read.containers.map(({ id, metadata, state, createdAt, labels, annotations }) => ({
            id,
            metadata,
            state,
            createdAt,
            labels,
            annotations,
          })),
          containers.map((container) => ({ ...container, createdAt: container.createdAt + 0 })),
        );
      }),
    );
  });

  it('keeps bytes and doubles exactly', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.double({ noNaN: true }), (stdout, Avg10) => {
        assert.deepEqual(cri.decodeExecSyncResponse(cri.encodeExecSyncResponse({ stdout })).stdout, stdout);
        assert.equal(cri.decodePsiData(cri.encodePsiData({ Avg10 })).Avg10 + 0, Avg10 + 0);
      }),
    );
  });

  it('skips fields it does not know', () => {
    const unknown = Buffer.from('f83f01' + 'f93f0102030405060708' + 'fa3f0161' + 'fd3f01020304', 'hex');
    const bytes = Buffer.concat([unknown, cri.encodeVersionResponse({ runtimeName: 'x' }), unknown]);
    assert.equal(cri.decodeVersionResponse(bytes).runtimeName, 'x');
  });

  it('never accepts a message that was cut inside a field', () => {
    const container = { id: 'abc', labels: { key: 'value' }, metadata: { name: 'web', attempt: 300 } };
    const whole = cri.encodeListContainersResponse({ containers: [container] });
    for (let size = 1; size < whole.byteLength; size++)
      assert.throws(() => cri.decodeListContainersResponse(whole.subarray(0, size)), RangeError);
  });

  it('throws only RangeError on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          cri.decodeContainerStatusResponse(bytes);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
      }),
    );
  });

  it('reads a time in nanoseconds to the nearest double', () => {
    const writer = new Writer();
    writer.int64(56, 1763239412345678901);
    const read = cri.decodeContainer(writer.finish()).createdAt;
    assert.ok(Math.abs(read / 1e6 - 1763239412345.678901) < 0.0005, String(read));
  });

  it('saturates integers that do not fit', () => {
    const cases = [
      [2 ** 70, 2 ** 63],
      [-(2 ** 70), -(2 ** 63)],
    ] as const;
    for (const [given, kept] of cases)
      assert.equal(cri.decodeInt64Value(cri.encodeInt64Value({ value: given })).value, kept);
    assert.equal(cri.decodeUInt64Value(cri.encodeUInt64Value({ value: 2 ** 70 })).value, 2 ** 64);
  });

  it('refuses a varint without an end', () => {
    assert.throws(() => new Reader(Buffer.alloc(11, 0xff)).uint64(), /more than 10 bytes/);
  });
});

describe('the services', () => {
  it('have all 41 calls, 7 of them streams', () => {
    const methods = [...Object.values(cri.RuntimeService), ...Object.values(cri.ImageService)];
    assert.equal(methods.length, 41);
    assert.equal(methods.filter((method) => method.serverStreaming).length, 7);
  });
});
