import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseLogTail } from './container-log.ts';

const T = '2026-01-02T03:04:05.678901234Z';
const parse = (text: string): string => parseLogTail(new TextEncoder().encode(text));

describe('parseLogTail', () => {
  const rows: [string, string, string][] = [
    ['both streams in order', `${T} stdout F one\n${T} stderr F two\n`, 'one\ntwo\n'],
    ['a partial line joined with what follows', `${T} stdout P one \n${T} stdout F two\n`, 'one two\n'],
    ['more tags after the first', `${T} stdout P:x one \n${T} stdout F:y two\n`, 'one two\n'],
    ['text with spaces and empty lines', `${T} stdout F  a  b \n${T} stdout F \n`, ' a  b \n\n'],
    ['nothing of a first line that was cut', `lf a line\n${T} stdout F two\n`, 'two\n'],
    ['a line whose time was cut', `5Z stdout F one\n`, 'one\n'],
    ['a last line without its end', `${T} stdout F one\n${T} stdout F tw`, 'one\ntw\n'],
    ['nothing of an unknown stream', `${T} stdlog F one\n`, ''],
    ['nothing of nothing', '', ''],
  ];
  for (const [criterion, text, expected] of rows) {
    it(`gives ${criterion}`, () => assert.equal(parse(text), expected));
  }

  it('gives back whatever lines a container wrote', () => {
    const line = fc.string().map((text) => text.replaceAll('\n', ' '));
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const log = lines.map((text) => `${T} stdout F ${text}\n`).join('');
        assert.equal(parse(log), lines.map((text) => `${text}\n`).join(''));
      }),
    );
  });
});
