import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkBags } from './check-bags.ts';

const file = (text: string, path = 'src/a.ts') => ({ path, text });
const fields = (names: string): string =>
  names
    .split(' ')
    .map((name) => `  readonly ${name}: string;\n`)
    .join('');

describe('checkBags', () => {
  it('counts fields and methods of a bag, not comments or nested fields', () => {
    const text = `/** x */\nexport interface AParts {\n  /** a: b */\n${fields('a b')}  c(): void;\n  d?: {\n    readonly e: string;\n  };\n}\n`;
    assert.deepEqual(checkBags([file(text)], 3), [{ path: 'src/a.ts', name: 'AParts', fields: 4 }]);
    assert.deepEqual(checkBags([file(text)], 4), []);
  });

  it('counts picked and inherited fields once', () => {
    const base = `interface BaseParts {\n${fields('a b')}}\n`;
    const bag = `interface AParts\n  extends BaseParts,\n    Pick<\n      Kit,\n      'clock' | 'a'\n    > {\n${fields('b c')}}\n`;
    assert.deepEqual(checkBags([file(base), file(bag, 'src/b.ts')], 3), [
      { path: 'src/b.ts', name: 'AParts', fields: 4 },
    ]);
  });

  it('resolves a base in the same file before one of that name elsewhere', () => {
    const other = `interface BaseParts {\n${fields('a b c d')}}\n`;
    const here = `interface BaseParts {\n${fields('a')}}\ninterface AParts extends BaseParts {\n${fields('b')}}\n`;
    assert.deepEqual(
      checkBags([file(other), file(here, 'src/b.ts')], 3).map(({ path }) => path),
      ['src/a.ts'],
    );
  });

  it('leaves data and allowed bags alone', () => {
    const text = `interface PodSpec {\n${fields('a b')}}\ninterface AParts {\n${fields('a b')}}\n`;
    assert.deepEqual(checkBags([file(text)], 1, { AParts: 'a reason' }), []);
  });
});
