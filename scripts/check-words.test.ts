import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkWords, findStaleUses } from './check-words.ts';

const find = (text: string): string[] =>
  checkWords([{ path: 'a.ts', text }], []).map(({ line, word }) => `${line} ${word}`);

describe('checkWords', () => {
  const cases: readonly (readonly [text: string, ...found: string[]])[] = [
    ['/** Nobody is told. */', '1 nobody', '1 told'],
    ['one\n// made anew,\nafresh', '2 anew', '3 afresh'],
    ['const isTold = this.#tellAll(untold);', '1 told', '1 tell', '1 untold'],
    ['const TOLD_AT = HTTPTold;', '1 told', '1 told'],
    ['It waits in vain.', '1 in vain'],
    ['all tests but for one', '1 but for'],
    ['the reportingContainer of an intelligent storyteller; renewed; a Retold name'],
    ['constructor toString __proto__'],
    [''],
  ];
  for (const [text, ...found] of cases)
    it(`finds [${found.join(', ')}] in ${JSON.stringify(text)}`, () => assert.deepEqual(find(text), found));

  it('says what to write instead', () => {
    assert.deepEqual(checkWords([{ path: 'a.ts', text: 'anew' }], []), [
      { path: 'a.ts', line: 1, word: 'anew', instead: 'again, re-' },
    ]);
  });

  it('allows a line by its text in one file only, and a file as a whole', () => {
    const text = 'Only root may be told so\ntold';
    const lines = (path: string): number[] =>
      checkWords(
        [{ path, text }],
        [
          { path: 'a.ts', text: 'be told so', reason: 'upstream' },
          { path: 'b.ts', reason: 'upstream' },
        ],
      ).map(({ line }) => line);
    assert.deepEqual(lines('a.ts'), [2]);
    assert.deepEqual(lines('b.ts'), []);
    assert.deepEqual(lines('c.ts'), [1, 2]);
  });
});

describe('findStaleUses', () => {
  it('names entries whose line or file is gone, or holds no refused word', () => {
    const used = { path: 'a.ts', text: 'be told', reason: 'upstream' };
    const stale = [
      { path: 'a.ts', text: 'plain', reason: 'upstream' },
      { path: 'gone.ts', reason: 'upstream' },
    ];
    const files = [{ path: 'a.ts', text: 'must be told\nplain' }];
    assert.deepEqual(findStaleUses(files, [used, ...stale]), stale);
  });
});
