import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { AgentError } from '../../base/errors.ts';
import { ResolverFile } from './resolver-file.ts';

function setUp(path = '/etc/resolv.conf') {
  const clock = new FakeClock();
  const world = { reads: 0, read: async (): Promise<string | undefined> => `reading ${world.reads}` };
  const files = {
    readFile: (): Promise<string | undefined> => {
      world.reads++;
      return world.read();
    },
  };
  return { clock, world, file: new ResolverFile(files, clock, path) };
}

describe('ResolverFile', () => {
  it('is read once for pods that start at once, and again for later ones', async () => {
    const { clock, world, file } = setUp();
    assert.deepEqual(await Promise.all([file.read(), file.read()]), ['reading 1', 'reading 1']);
    await clock.advance(999);
    assert.equal(await file.read(), 'reading 1');
    await clock.advance(1);
    assert.equal(await file.read(), 'reading 2');
    assert.equal(world.reads, 2);
  });

  it('is empty when it does not exist, and undefined where pods get none', async () => {
    const { world, file } = setUp();
    world.read = async () => undefined;
    assert.equal(await file.read(), '');
    const none = setUp('');
    assert.equal(await none.file.read(), undefined);
    assert.equal(none.world.reads, 0);
  });

  it('does not keep a failure', async () => {
    const { world, file } = setUp();
    const { read } = world;
    world.read = async () => {
      throw new AgentError('unavailable', 'broken');
    };
    await assert.rejects(file.read(), AgentError);
    world.read = read;
    assert.equal(await file.read(), 'reading 2');
  });
});
