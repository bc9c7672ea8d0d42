import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { planLogCleanUp, toGenerations, toRotatedName } from './log-rotation.ts';

const at = (second: number): string => `0.log.20260102-0304${String(second).padStart(2, '0')}`;

describe('planLogCleanUp', () => {
  const rows: [what: string, names: string[], busy: string[], remove: string[], compress: string[]][] = [
    ['nothing rotated yet', [], [], [], []],
    ['the newest rotated file is compressed with the next rotation', [at(1)], [], [], [at(1)]],
    ['what is compressed stays so', [`${at(1)}.gz`, at(2)], [], [], [at(2)]],
    ['an unfinished compression is thrown away', [at(1), `${at(1)}.tmp`], [], [`${at(1)}.tmp`], [at(1)]],
    ['a plain file beside its compressed form goes', [at(1), `${at(1)}.gz`], [], [at(1)], []],
    [
      'the oldest go, whatever their form',
      [at(4), `${at(1)}.gz`, at(2), `${at(3)}.gz`],
      [],
      [`${at(1)}.gz`],
      [at(2), at(4)],
    ],
    ['what is being compressed is left alone', [at(1), `${at(1)}.tmp`], [at(1)], [], []],
    [
      'numbers within a second keep the order',
      [`${at(1)}.gz`, `${at(1)}.001`, `${at(1)}.002`, at(2)],
      [],
      [`${at(1)}.gz`],
      [`${at(1)}.001`, `${at(1)}.002`, at(2)],
    ],
  ];
  for (const [what, names, busy, remove, compress] of rows)
    it(what, () => {
      assert.deepEqual(planLogCleanUp(names, 5, new Set(busy)), { remove, compress });
    });

  it('leaves with the log and its successor never more than the most files', () => {
    const name = fc
      .tuple(fc.integer({ min: 0, max: 30 }), fc.constantFrom('', '.gz', '.tmp'))
      .map(([second, end]) => `${at(second)}${end}`);
    fc.assert(
      fc.property(fc.uniqueArray(name), fc.integer({ min: 2, max: 9 }), (names, maxFiles) => {
        const { remove, compress } = planLogCleanUp(names, maxFiles);
        const left = names.filter((one) => !remove.includes(one));
        assert.ok(left.length + 2 <= maxFiles);
        assert.ok(compress.every((one) => left.includes(one)));
      }),
    );
  });
});

describe('toRotatedName', () => {
  const ms = new Date(2026, 0, 2, 3, 4, 5).getTime();

  it('is the local time', () => assert.equal(toRotatedName('0.log', ms, []), '0.log.20260102-030405'));

  it('gets a number when the second is taken, in either form', () => {
    assert.equal(toRotatedName('0.log', ms, [`${at(5)}.gz`]), `${at(5)}.001`);
    assert.equal(toRotatedName('0.log', ms, [at(5), `${at(5)}.001.gz`]), `${at(5)}.002`);
  });

  it('stays the newest while earlier files of the second go', () => {
    const made: string[] = [];
    let kept: string[] = [];
    for (let rotation = 0; rotation < 40; rotation++) {
      const { remove } = planLogCleanUp(kept, 5);
      kept = kept.filter((name) => !remove.includes(name));
      const name = toRotatedName('0.log', ms, kept);
      kept.push(name);
      made.push(name);
      assert.deepEqual(toGenerations('0.log', kept), made.slice(-kept.length));
    }
  });
});

describe('toGenerations', () => {
  it('names each rotated file once, oldest first, and nothing else', () => {
    const names = [
      at(3),
      `${at(1)}.001`,
      `${at(2)}.gz`,
      `${at(1)}.gz`,
      at(1),
      `${at(2)}.tmp`,
      '0.log.old',
      '1.log',
    ];
    assert.deepEqual(toGenerations('0.log', names), [at(1), `${at(1)}.001`, at(2), at(3)]);
  });
});
