import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createLogger, type LogFormat, type Logger } from './log.ts';

describe('createLogger', () => {
  const nowMs = new Date(2026, 2, 4, 5, 6, 7, 89).getTime();

  function capture(format: LogFormat, verbosity = 0): { log: Logger; lines: string[] } {
    const lines: string[] = [];
    const settings = {
      format,
      verbosity,
      now: () => nowMs,
      pid: 42,
      write: (line: string) => lines.push(line),
    };
    return { log: createLogger(settings), lines };
  }

  it('writes klog text: severity, local time, pid, quoted message, fields', () => {
    const { log, lines } = capture('text');
    log.info('pod "started"', { pod: 'ns/web', attempts: 2, ok: true, none: undefined });
    assert.deepEqual(lines, [
      'I0304 05:06:07.089000      42 kubelet] "pod \\"started\\"" pod="ns/web" attempts=2 ok=true',
    ]);
  });

  it('writes nothing that a terminal obeys, and the same fields', () => {
    const hostile = '\x1b[2J\x07\r\n\x7f\x9b31m\u202e\u2028';
    for (const format of ['text', 'json'] as const) {
      const { log, lines } = capture(format);
      log.info(hostile, { pod: hostile, list: [hostile] });
      assert.equal(lines.length, 1);
      assert.doesNotMatch(lines[0] ?? '', /\p{Cc}|[\u2028-\u202e]/u);
      if (format === 'json') assert.equal(JSON.parse(lines[0] ?? '').pod, hostile);
    }
  });

  it('starts lines with I, W and E', () => {
    const { log, lines } = capture('text');
    log.info('a');
    log.warn('b');
    log.error('c', new Error('why'));
    assert.deepEqual(
      lines.map((line) => line[0]),
      ['I', 'W', 'E'],
    );
    assert.match(lines[2] ?? '', /"c" err="why"$/);
  });

  it('writes JSON with time, verbosity, message and fields', () => {
    const { log, lines } = capture('json', 5);
    log.debug({ file: 'some-file', level: 3 }, 'looked', { pod: 'ns/web' });
    log.error('failed', new Error('why'), { pod: 'ns/web' });
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      [
        { ts: nowMs, v: 3, msg: 'looked', pod: 'ns/web' },
        { ts: nowMs, msg: 'failed', severity: 'error', pod: 'ns/web', err: 'why' },
      ],
    );
  });

  it('shows a debug line only up to the verbosity', () => {
    const { log, lines } = capture('text', 2);
    log.debug({ file: 'some-file', level: 2 }, 'shown');
    log.debug({ file: 'some-file', level: 3 }, 'hidden');
    assert.equal(lines.length, 1);
  });

  it('adds the fields of with() to every line; the line wins over them', () => {
    const { log, lines } = capture('json');
    const child = log.with({ pod: 'a', uid: '1' }).with({ container: 'web' });
    child.info('x', { pod: 'b' });
    log.info('y');
    const [first, second] = lines.map((line) => JSON.parse(line));
    assert.deepEqual(first, { ts: nowMs, v: 0, msg: 'x', pod: 'b', uid: '1', container: 'web' });
    assert.deepEqual(second, { ts: nowMs, v: 0, msg: 'y' });
  });

  it('does not let a field replace the message or the severity', () => {
    const { log, lines } = capture('json');
    log.warn('real', { msg: 'fake', ts: 0, v: 9, severity: 'fine' });
    assert.deepEqual(JSON.parse(lines[0] ?? ''), { ts: nowMs, msg: 'real', severity: 'warning' });
  });

  it('leaves err out when there is no error', () => {
    const { log, lines } = capture('json');
    log.error('odd', undefined);
    assert.equal('err' in JSON.parse(lines[0] ?? ''), false);
  });

  it('prints what JSON cannot: errors, sets, big integers, cycles', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    const fields = {
      error: new Error('why'),
      set: new Set(['a', 'b']),
      big: 10n,
      cycle,
      call: Symbol('s'),
    };
    const text = capture('text');
    text.log.info('m', fields);
    assert.match(
      text.lines[0] ?? '',
      /error="why" set=\["a","b"\] big="10" cycle="\(unprintable\)" call="Symbol\(s\)"$/,
    );
    const json = capture('json');
    json.log.info('m', { ...fields, call: 1 });
    const { error, set, big, cycle: printed, call, msg } = JSON.parse(json.lines[0] ?? '');
    assert.deepEqual(
      [error, set, big, printed, call, msg],
      ['why', ['a', 'b'], '10', '(unprintable)', 1, 'm'],
    );
  });

  it('never throws and stays on one line, whatever is logged', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<LogFormat>('text', 'json'),
        fc.string(),
        fc.dictionary(fc.string(), fc.anything({ withBigInt: true, withMap: true, withSet: true })),
        (format, message, fields) => {
          const { log, lines } = capture(format);
          log.info(message, fields);
          assert.equal(lines.length, 1);
          assert.equal(lines[0]?.includes('\n'), false);
          if (format === 'json') assert.equal(JSON.parse(lines[0] ?? '').msg, message);
        },
      ),
    );
  });
});
