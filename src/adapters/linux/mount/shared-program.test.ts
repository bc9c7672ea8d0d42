import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedProgram } from './shared-program.ts';

function setUp() {
  const programs: { places: readonly string[]; end: (error?: Error) => void }[] = [];
  const shared = new SharedProgram<string>((places) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    programs.push({ places, end: (error) => (error === undefined ? resolve() : reject(error)) });
    return promise;
  });
  return { programs, shared };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('SharedProgram', () => {
  it('starts a program for the first at once, and one for all that are asked for while it runs', async () => {
    const { programs, shared } = setUp();
    const first = shared.share('/1');
    await settle();
    const others = ['/2', '/3', '/4'].map((place) => shared.share(place));
    await settle();
    assert.deepEqual(
      programs.map(({ places }) => places),
      [['/1']],
    );
    programs[0]?.end();
    assert.equal(await first, true);
    await settle();
    assert.deepEqual(programs[1]?.places, ['/2', '/3', '/4']);
    programs[1].end();
    assert.deepEqual(await Promise.all(others), [true, true, true]);
  });

  it('reports a failure to all that shared the program, and to no other', async () => {
    const { programs, shared } = setUp();
    const together = ['/1', '/2'].map((place) => shared.share(place));
    await settle();
    const next = shared.share('/3');
    programs[0]?.end(new Error('busy'));
    assert.deepEqual(await Promise.all(together), [false, false]);
    await settle();
    programs[1]?.end();
    assert.equal(await next, true);
  });

  it('gives no program more places than fit on its command line', async () => {
    const { programs, shared } = setUp();
    const all = Array.from({ length: 120 }, (_, index) => shared.share(`/${index}`));
    for (let ended = 0; ended < 3; ended++) {
      await settle();
      programs[ended]?.end();
    }
    assert.ok((await Promise.all(all)).every(Boolean));
    assert.deepEqual(
      programs.map(({ places }) => places.length),
      [50, 50, 20],
    );
  });
});
