import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { JsonLines } from './json-lines.ts';

describe('JsonLines', () => {
  it('gives the same values however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.json()), fc.array(fc.nat(40)), (texts, cuts) => {
        const values: unknown[] = [];
        const lines = new JsonLines((value) => values.push(value));
        let bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        for (const cut of cuts) {
          lines.push(bytes.subarray(0, cut));
          bytes = bytes.subarray(cut);
        }
        lines.push(bytes);
        assert.deepEqual(
          values,
          texts.map((text) => JSON.parse(text)),
        );
      }),
    );
  });

  it('keeps a character whole that two packets share, and skips empty lines', () => {
    const values: unknown[] = [];
    const lines = new JsonLines((value) => values.push(value));
    for (const byte of Buffer.from('\n"grün €"\r\n\n')) lines.push(Buffer.from([byte]));
    assert.deepEqual(values, ['grün €']);
  });

  it('throws on a line that is not JSON and on one without end', () => {
    const lines = new JsonLines(() => {});
    assert.throws(() => lines.push(Buffer.from('nonsense\n')), SyntaxError);
    assert.throws(() => {
      for (let i = 0; i < 20; i++) lines.push(Buffer.alloc(1024 * 1024, 'x'));
    }, /longer than/);
  });
});
