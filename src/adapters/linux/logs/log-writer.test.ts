import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { LogQuery } from '../../../ports/runtime/container-logs.ts';
import { detectFormat, parseCri, toFixedTime, toMs } from './log-entry.ts';
import { LogWriter } from './log-writer.ts';

const ALL: LogQuery = { follow: false, timestamps: false, stream: 'All' };
const T = '2026-01-02T03:04:05.5Z';

function write(text: string, query: Partial<LogQuery> = {}): string {
  const writer = new LogWriter({ ...ALL, ...query });
  return Buffer.concat([writer.push(Buffer.from(text)), writer.flush()]).toString();
}

describe('parseCri', () => {
  for (const [line, text, partial] of [
    [`${T} stdout F hello world`, 'hello world', false],
    [`${T} stderr P half`, 'half', true],
    [`${T} stdout P:x half`, 'half', true],
    [`${T} stdout F `, '', false],
    [`${T} stdout F`, '', false],
    [`${T} stdout F  two`, ' two', false],
  ] as const)
    it(`reads ${JSON.stringify(line)}`, () => {
      const entry = parseCri(Buffer.from(line));
      assert.equal(Buffer.from(entry?.text ?? []).toString(), text);
      assert.equal(entry?.partial, partial);
    });

  for (const line of ['', 'x', `${T} stdin F x`, `yesterday stdout F x`, `${T}  stdout F x`])
    it(`refuses ${JSON.stringify(line)}`, () => assert.equal(parseCri(Buffer.from(line)), undefined));
});

describe('toMs and toFixedTime', () => {
  it('take any number of digits and any zone', () => {
    assert.equal(toMs('1970-01-01T00:00:01Z'), 1000);
    assert.equal(toMs('1970-01-01T01:00:00.25+01:00'), 250);
    assert.equal(toMs('1970-01-01 00:00:01Z'), undefined);
    assert.equal(toMs('2026-13-01T00:00:00Z'), undefined);
    assert.equal(toFixedTime('2026-01-02T03:04:05Z'), '2026-01-02T03:04:05.000000000Z');
    assert.equal(toFixedTime('2026-01-02T03:04:05.1234+02:00'), '2026-01-02T03:04:05.123400000+02:00');
  });
});

describe('LogWriter', () => {
  it('joins partial lines and puts one time before the whole', () => {
    const text = `${T} stdout P a\n${T} stdout P b\n${T} stdout F c\n${T} stdout F d\n`;
    assert.equal(write(text), 'abc\nd\n');
    const stamp = '2026-01-02T03:04:05.500000000Z';
    assert.equal(write(text, { timestamps: true }), `${stamp} abc\n${stamp} d\n`);
  });

  it('passes over lines that do not parse, but not over a file that is no log', () => {
    assert.equal(write(`${T} stdout F a\ngarbage\n${T} stdout F b\n`), 'a\nb\n');
    assert.throws(() => write('garbage\n'), /unsupported log format: "garbage"/);
  });

  it('keeps bytes that are no text as they are', () => {
    const bytes = Buffer.from([0, 0xff, 0xfe, 0x80]);
    const writer = new LogWriter(ALL);
    const got = writer.push(Buffer.concat([Buffer.from(`${T} stdout F `), bytes, Buffer.from('\n')]));
    assert.deepEqual([...got], [...bytes, 0x0a]);
  });

  it('reads what Docker writes', () => {
    const line = (log: string): string => `${JSON.stringify({ log, stream: 'stderr', time: T })}\n`;
    assert.equal(write(line('a\n') + line('half') + line(' done\n')), 'a\nhalf done\n');
    assert.equal(detectFormat(Buffer.from('{"log":1}')), undefined);
  });

  it('leaves out the other stream and what is too old', () => {
    const text = `2026-01-02T03:04:05Z stdout F old\n${T} stderr F err\n${T} stdout F out\n`;
    assert.equal(write(text, { stream: 'Stderr' }), 'err\n');
    assert.equal(write(text, { stream: 'Stdout' }), 'old\nout\n');
    assert.equal(write(text, { sinceMs: Date.parse(T) }), 'err\nout\n');
  });

  it('cuts the last line at the limit, times included', () => {
    const text = `${T} stdout F abc\n${T} stdout F def\n`;
    assert.equal(write(text, { limitBytes: 6 }), 'abc\nde');
    assert.equal(write(text, { limitBytes: 4 }), 'abc\n');
    assert.equal(write(text, { limitBytes: 33, timestamps: true }), '2026-01-02T03:04:05.500000000Z ab');
  });

  it('writes a last line that has not ended, and no newline with it', () => {
    assert.equal(write(`${T} stdout F abc`), 'abc');
  });

  it('does not follow a line without an end forever', () => {
    const writer = new LogWriter(ALL);
    writer.push(Buffer.from(`${T} stdout F a\n`));
    for (let i = 0; i < 40; i++) writer.push(Buffer.alloc(64 * 1024, 'x'));
    assert.ok(writer.flush().length === 0);
  });

  it('gives the same text however the bytes are cut', () => {
    const line = fc.record({
      partial: fc.boolean(),
      stream: fc.constantFrom('stdout', 'stderr'),
      text: fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\n', ' ')),
    });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1 }),
        fc.array(fc.nat(50)),
        fc.boolean(),
        (entries, cuts, timestamps) => {
          const whole = Buffer.from(
            entries
              .map(({ partial, stream, text }) => `${T} ${stream} ${partial ? 'P' : 'F'} ${text}\n`)
              .join(''),
          );
          const writer = new LogWriter({ ...ALL, timestamps });
          const parts: Buffer[] = [];
          let at = 0;
          for (const cut of [...cuts, whole.length]) {
            parts.push(writer.push(whole.subarray(at, at + cut)));
            at += cut;
          }
          parts.push(writer.flush());
          assert.equal(Buffer.concat(parts).toString(), write(whole.toString(), { timestamps }));
          if (!timestamps)
            assert.equal(
              Buffer.concat(parts).toString(),
              entries.map(({ partial, text }) => text + (partial ? '' : '\n')).join(''),
            );
        },
      ),
    );
  });
});
