import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toLocalSocket } from '../../config/local-socket.ts';
import { RUN_DIRECTORY, toRunPlace } from './run-place.ts';

describe('toRunPlace', () => {
  it('is the same for the same manifests and another for others', () => {
    const one = toRunPlace(['/a/app.yaml']);
    assert.deepEqual(toRunPlace(['/a/app.yaml']), one);
    const other = toRunPlace(['/b/app.yaml']);
    for (const key of ['owner', 'rootDir', 'cgroupRoot'] as const) assert.notEqual(one[key], other[key]);
  });

  it('makes a short name of anything', () => {
    for (const source of ['/a/../-x;$(y)\n.yaml', '/', '', `/${'n'.repeat(300)}.json`, '/ü/日本.yaml']) {
      const { owner, rootDir } = toRunPlace([source]);
      assert.match(owner, /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
      assert.equal(rootDir, `${RUN_DIRECTORY}/${owner}`);
      assert.ok(toLocalSocket(rootDir).length < 108);
    }
  });

  it('takes the root directory that was named, and a place of its own for each', () => {
    const { rootDir, manifestDir } = toRunPlace(['/a/app.yaml'], '/srv/run');
    assert.deepEqual([rootDir, manifestDir], ['/srv/run', '/srv/run/run/manifests']);
    assert.notEqual(toRunPlace(['/a'], '/x').cgroupRoot, toRunPlace(['/a'], '/y').cgroupRoot);
  });
});
