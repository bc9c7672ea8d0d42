import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { escapeLine, escapeTerminal } from './terminal-text.ts';

describe('escapeTerminal', () => {
  it('shows every control instead of passing it on, and keeps lines and tabs', () => {
    assert.equal(escapeTerminal('\x1b[2J\x1b]52;c;eA==\x07'), '^[[2J^[]52;c;eA==^G');
    assert.equal(escapeTerminal('a\rb\bc\0d'), 'a\\rb^Hc^@d');
    assert.equal(escapeTerminal('\x7f\x9b2J\u202eabc\u2028'), '\\u007f\\u009b2J\\u202eabc\\u2028');
    assert.equal(escapeTerminal('one\n\ttwo – ü 漢'), 'one\n\ttwo – ü 漢');
  });

  it('leaves no control of any kind', () => {
    const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join('');
    assert.doesNotMatch(
      escapeTerminal(all).replaceAll(/[\n\t]/g, ''),
      /\p{Cc}|[\u2028-\u202e\u2066-\u2069]/u,
    );
  });

  it('leaves JSON what it says', () => {
    const value = { text: '\x1b[31m\x7f\x9b\u202e\n' };
    assert.deepEqual(JSON.parse(escapeTerminal(JSON.stringify(value, undefined, 4))), value);
  });
});

describe('escapeLine', () => {
  it('is one line', () => {
    assert.equal(escapeLine('a\nReady:\tTrue'), 'a\\nReady:\\tTrue');
  });
});
