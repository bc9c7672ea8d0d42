import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderTerminal } from './render-terminal.ts';

const ESC = '\x1b';

describe('renderTerminal', () => {
  it('puts each piece of text at its place, with its colour', () => {
    const svg = renderTerminal('kubelet get pods', `a   ${ESC}[32mRunning${ESC}[0m  1\r\nbb\r\n`, 100);
    assert.match(svg, /<text x="16.0" [^>]*>a<\/text>/);
    assert.match(svg, /<text x="49.6" [^>]*fill="#7ee787">Running<\/text>/);
    assert.match(svg, /<text x="125.2" [^>]*>1<\/text>/);
    assert.match(svg, /font-weight="bold">kubelet get pods<\/text>/);
  });
  it('keeps columns apart, whatever becomes of spaces', () => {
    const svg = renderTerminal('x', 'NAME   READY\nweb 1  1/1\n', 100);
    assert.deepEqual(
      [...svg.matchAll(/<text x="([\d.]+)" [^>]*>([^<]*)<\/text>/g)].slice(2).map((one) => [one[1], one[2]]),
      [
        ['16.0', 'NAME'],
        ['74.8', 'READY'],
        ['16.0', 'web 1'],
        ['74.8', '1/1'],
      ],
    );
  });
  it('is as wide and high as its text', () => {
    assert.match(renderTerminal('x', `${'y'.repeat(100)}\n\n\n`, 100), /width="872" height="79"/);
  });
  it('breaks a line where the terminal does', () => {
    const svg = renderTerminal('x', `abc${ESC}[31mdefgh${ESC}[0mi\n`, 4);
    const texts = [...svg.matchAll(/<text [^>]*?( fill="#ff7b72")?>([^<]*)<\/text>/g)].map((one) => one[2]);
    assert.deepEqual(texts.slice(2), ['abc', 'd', 'efgh', 'i']);
    assert.match(svg, /height="117"/);
  });
  it('holds no markup of others, no sequence and no control character', () => {
    const svg = renderTerminal('a<b>', `<script>&"${ESC}[2J${ESC}]0;t\x07\n`, 100);
    assert.match(svg, /&lt;script&gt;&amp;&quot;/);
    assert.match(svg, /<title>a&lt;b&gt;<\/title>/);
    assert.ok(!svg.includes(ESC) && !svg.includes('\x07') && !svg.includes('<script'));
  });
});
