import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseCollectorEndpoint } from './parse-endpoint.ts';
import { isTraceSampled, parseTraceparent, renderTraceparent } from './trace-context.ts';

const GOOD = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('parseTraceparent', () => {
  it('reads what it renders', () => {
    const context = parseTraceparent(GOOD);
    assert.ok(context);
    assert.equal(context.isSampled, true);
    assert.equal(renderTraceparent(context), GOOD);
  });

  const refused = [
    '',
    'x',
    GOOD.replace('4bf9', '4BF9'),
    GOOD.replace(/^00/, 'ff'),
    `${GOOD}-more`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`,
    `${GOOD}\r\nx: y`,
  ];
  for (const text of refused)
    it(`refuses ${JSON.stringify(text)}`, () => assert.equal(parseTraceparent(text), undefined));

  it('takes a later version by its beginning', () =>
    assert.equal(parseTraceparent(`cc${GOOD.slice(2)}-what-comes`)?.isSampled, true));

  it('ends on any text', () => fc.assert(fc.property(fc.string(), (text) => void parseTraceparent(text))));
});

describe('isTraceSampled', () => {
  it('chooses none at 0, all at a million, and by the id in between', () => {
    const low = Buffer.from('0000000000000000'.repeat(2), 'hex');
    const high = Buffer.from('ffffffffffffffff'.repeat(2), 'hex');
    for (const id of [low, high]) {
      assert.equal(isTraceSampled(id, 0), false);
      assert.equal(isTraceSampled(id, 1_000_000), true);
    }
    assert.equal(isTraceSampled(low, 500_000), true);
    assert.equal(isTraceSampled(high, 500_000), false);
  });
});

describe('parseCollectorEndpoint', () => {
  const cases: readonly (readonly [string | undefined, unknown])[] = [
    [undefined, { host: 'localhost', port: 4317 }],
    ['collector:55', { host: 'collector', port: 55 }],
    ['[::1]:4317', { host: '::1', port: 4317 }],
    ['collector', { host: 'collector', port: 443 }],
    ['dns:collector:1', { host: 'collector', port: 1 }],
    ['dns://resolver/collector:1', { host: 'collector', port: 1 }],
    ['unix:///run/otel.sock', '/run/otel.sock'],
    ['unix:run/otel.sock', 'run/otel.sock'],
    ['unix-abstract:otel', '\0otel'],
  ];
  for (const [text, place] of cases)
    it(`${text} is ${JSON.stringify(place)}`, () => assert.deepEqual(parseCollectorEndpoint(text), place));
});
