import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/samples/random-text.ts';
import { samplePod, sidecar } from '../../../test/samples/sample-pods.ts';
import {
  cutMessage,
  joinMessage,
  messageLimit,
  renderFileError,
  renderLogError,
  toFileText,
  toLogText,
  wantsLogFallback,
} from './termination-message.ts';

const failed = { policy: 'FallbackToLogsOnError', exitCode: 1, reason: 'Error' };

describe('wantsLogFallback', () => {
  const cases: readonly (readonly [string, Partial<typeof failed>, string, boolean])[] = [
    ['a failed container with an empty file uses the log', {}, '', true],
    ['policy File never asks the log', { policy: 'File' }, '', false],
    ['a success needs no explanation', { exitCode: 0 }, '', false],
    ['a process that could not be executed has no log', { reason: 'ContainerCannotRun' }, '', false],
    ['text in the file is enough', {}, 'disk full', false],
  ];
  for (const [name, more, file, wanted] of cases) {
    it(name, () => assert.equal(wantsLogFallback({ ...failed, ...more }, file), wanted));
  }
});

describe('termination texts', () => {
  it('the file counts with its last 4096 bytes', () => {
    const text = toFileText(new TextEncoder().encode(`x${'a'.repeat(4096)}`));
    assert.equal(text, 'a'.repeat(4096));
  });

  it('a character cut in two at the start of the tail is left out', () => {
    assert.equal(toFileText(new TextEncoder().encode(`é${'a'.repeat(4095)}`)), 'a'.repeat(4095));
  });

  it('the log counts with its last 80 lines', () => {
    const log = Array.from({ length: 100 }, (_, i) => `${i}\n`).join('');
    const lines = toLogText(log).split('\n');
    assert.equal(lines[0], '20');
    assert.equal(lines.length, 81);
    assert.equal(lines[80], '');
  });

  it('a short log counts as it is', () => {
    assert.equal(toLogText('first\nlast\n'), 'first\nlast\n');
    assert.equal(toLogText('one line'), 'one line');
    assert.equal(toLogText(''), '');
  });

  it('of the last lines of the log only the last 2048 bytes count', () => {
    assert.equal(toLogText(`${'a'.repeat(3000)}\nend`), `${'a'.repeat(2044)}\nend`);
  });

  it('read errors are shown instead of the text', () => {
    assert.equal(renderFileError('/dev/t', 'denied'), 'Error on reading termination log /dev/t: denied');
    assert.equal(renderLogError('gone'), 'Error on reading termination message from logs: gone');
  });

  const joins: readonly (readonly [string, string, string])[] = [
    ['', '', ''],
    ['oom', '', 'oom'],
    ['', 'bye', 'bye'],
    ['oom', 'bye', 'oom: bye'],
  ];
  for (const [runtime, text, whole] of joins) {
    it(`joins "${runtime}" and "${text}" to "${whole}"`, () =>
      assert.equal(joinMessage(runtime, text), whole));
  }
});

describe('cutMessage', () => {
  it('all containers of the pod share 12288 bytes', () => {
    assert.equal(messageLimit(samplePod()), 12288);
    const pod = samplePod({ initContainers: [sidecar('s')], ephemeralContainers: [{ name: 'debug' }] });
    assert.equal(messageLimit(pod), 4096);
  });

  it('keeps the beginning', () => assert.equal(cutMessage('abcdef', 4), 'abcd'));

  it('never exceeds the limit, keeps whole characters and changes nothing that fits', () => {
    fc.assert(
      fc.property(anyText(), fc.nat(40), (text, limit) => {
        const cut = cutMessage(text, limit);
        const size = new TextEncoder().encode(text).length;
        assert.ok(new TextEncoder().encode(cut).length <= limit);
        assert.ok(text.startsWith(cut));
        assert.equal(cut === text, size <= limit);
      }),
    );
  });
});
