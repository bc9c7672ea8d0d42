import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedUnmounts } from './shared-unmounts.ts';

function setUp() {
  const programs: { places: readonly string[]; end: (error?: Error) => void }[] = [];
  const unmounts = new SharedUnmounts((places) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    programs.push({ places, end: (error) => (error === undefined ? resolve() : reject(error)) });
    return promise;
  });
  return { programs, unmounts };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('SharedUnmounts', () => {
  it('starts a program for the first at once, and one for all that are asked for while it runs', async () => {
    const { programs, unmounts } = setUp();
    const first = unmounts.unmount('/1');
    await settle();
    const others = ['/2', '/3', '/4'].map((place) => unmounts.unmount(place));
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
    const { programs, unmounts } = setUp();
    const together = ['/1', '/2'].map((place) => unmounts.unmount(place));
    await settle();
    const next = unmounts.unmount('/3');
    programs[0]?.end(new Error('busy'));
    assert.deepEqual(await Promise.all(together), [false, false]);
    await settle();
    programs[1]?.end();
    assert.equal(await next, true);
  });

  it('gives no program more places than fit on its command line', async () => {
    const { programs, unmounts } = setUp();
    const all = Array.from({ length: 120 }, (_, index) => unmounts.unmount(`/${index}`));
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
