import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ByteQueue } from './byte-queue.ts';

describe('ByteQueue', () => {
  it('gives back what was pushed, however it is cut, and what was taken stays as it was', () => {
    const step = fc.oneof(
      fc.uint8Array({ maxLength: 700 }),
      fc.nat({ max: 900 }).map((take) => ({ take })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new ByteQueue();
        const pushed: Uint8Array[] = [];
        const taken: { seen: string; bytes: Buffer }[] = [];
        for (const each of steps) {
          if (each instanceof Uint8Array) {
            queue.push(each);
            pushed.push(Uint8Array.from(each));
          } else {
            const count = Math.min(each.take, queue.length);
            assert.deepEqual(queue.peek(count), queue.peek(count));
            const bytes = queue.take(count);
            taken.push({ bytes, seen: bytes.toString('hex') });
          }
        }
        taken.push({ bytes: queue.peek(queue.length), seen: queue.peek(queue.length).toString('hex') });
        for (const { bytes, seen } of taken) assert.equal(bytes.toString('hex'), seen);
        assert.equal(taken.map(({ seen }) => seen).join(''), Buffer.concat(pushed).toString('hex'));
      }),
    );
  });

  it('never writes into a piece that was pushed', () => {
    const queue = new ByteQueue();
    const whole = Buffer.from('abcdef');
    queue.push(whole.subarray(0, 3));
    queue.push(Buffer.from('XYZ'));
    assert.equal(whole.toString(), 'abcdef');
    assert.equal(queue.take(6).toString(), 'abcXYZ');
  });

  it('refuses to give more than there is', () => {
    const queue = new ByteQueue();
    queue.push(Buffer.from('a'));
    assert.throws(() => queue.take(2), /2 bytes wanted, 1 there/);
    assert.equal(queue.length, 1);
  });

  it('moves each byte a few times at most', () => {
    const original = Buffer.prototype.copy;
    let moved = 0;
    Buffer.prototype.copy = function (this: Buffer, ...args: Parameters<Buffer['copy']>): number {
      const count = original.apply(this, args);
      moved += count;
      return count;
    } as Buffer['copy'];
    try {
      const queue = new ByteQueue();
      const piece = Buffer.alloc(100);
      for (let i = 0; i < 80_000; i++) queue.push(piece);
      assert.equal(queue.take(8_000_000).length, 8_000_000);
      assert.ok(moved < 16_000_000, `${moved} bytes were moved for 8,000,000`);
    } finally {
      Buffer.prototype.copy = original;
    }
  });
});
