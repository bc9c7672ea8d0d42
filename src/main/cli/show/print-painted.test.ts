import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type { PaintedKind } from './paint-rules.ts';
import { printPainted } from './print-painted.ts';

function print(text: string, kind: PaintedKind, isTTY: boolean, env: Record<string, string> = {}): string {
  const stdout = Object.assign(new PassThrough(), { isTTY });
  printPainted({ stdout, env }, text, kind);
  return String(stdout.read());
}
/** `<good:Running>` instead of a sequence. */
const NAMES: Readonly<Record<string, string>> = { 1: 'bold', 2: 'dim', 31: 'bad', 32: 'good', 33: 'busy' };
const ESC = '\x1b';
const SEQUENCE = new RegExp(`${ESC}\\[(\\d+)m(.*?)${ESC}\\[0m`, 'g');
const spell = (text: string): string =>
  text.replaceAll(SEQUENCE, (_, code: string, inner) => `<${NAMES[code]}:${inner}>`);

describe('printPainted', () => {
  for (const [kind, text, painted] of [
    [
      'table',
      'NAME   READY   STATUS\nweb    1/1     Running\n',
      '<bold:NAME   READY   STATUS>\nweb    1/1     <good:Running>\n',
    ],
    ['table', 'NAME   CPU(cores)   MEMORY(bytes)\n', '<bold:NAME   CPU(cores)   MEMORY(bytes)>\n'],
    ['table', 'a   0/1   CrashLoopBackOff   2\n', 'a   0/1   <bad:CrashLoopBackOff>   2\n'],
    ['table', 'a   0/1   Init:0/2   0\n', 'a   0/1   <busy:Init:0/2>   0\n'],
    ['table', 'a   -   Rejected (x.yaml:7)   -\n', 'a   -   <bad:Rejected (x.yaml:7)>   -\n'],
    ['table', 'a   0/1   ErrImagePull   0\n', 'a   0/1   <bad:ErrImagePull>   0\n'],
    ['table', 'a   0/1   Terminating   0\n', 'a   0/1   <busy:Terminating>   0\n'],
    ['events', '5s   Warning   BackOff   pod/a   x\n', '5s   <busy:Warning>   BackOff   pod/a   x\n'],
    ['sentences', 'default/a: Waiting for x.\n', '<bold:default/a:> <busy:Waiting> for x.\n'],
    ['timeline', '+0s   start   2s   ███\n', '+0s   start   2s   <good:███>\n'],
    [
      'tree',
      'ns/a (Running)\n└─ container b (running)\n',
      '<bold:ns/a (Running)>\n<dim:└─> container b <good:(running)>\n',
    ],
  ] as const)
    it(`colours ${JSON.stringify(text)}`, () => {
      assert.equal(spell(print(text, kind, true)), painted);
      assert.equal(print(text, kind, false), text);
      assert.equal(print(text, kind, true, { NO_COLOR: '1' }), text);
      assert.equal(print(text, kind, true, { TERM: 'dumb' }), text);
    });

  it('escapes sequences of others, on a terminal as in a pipe', () => {
    const hostile = 'a\x1b[31m Running \x1b]0;title\x07\n';
    assert.equal(print(hostile, 'table', false), 'a^[[31m Running ^[]0;title^G\n');
    assert.equal(spell(print(hostile, 'table', true)), 'a^[[31m <good:Running> ^[]0;title^G\n');
  });
});
