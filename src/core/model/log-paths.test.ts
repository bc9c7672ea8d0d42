import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import { containerLogPath, legacyLogLink, podLogDirectory } from './log-paths.ts';

describe('log paths', () => {
  it('name the directory, the file and the link', () => {
    assert.equal(podLogDirectory('/var/log/pods', samplePod()), '/var/log/pods/market_shop_0a1b-2c3d');
    assert.equal(containerLogPath('web', 2), 'web/2.log');
    assert.equal(legacyLogLink(samplePod(), 'web', 'abc'), '/var/log/containers/shop_market_web-abc.log');
  });

  it('cut the name of the link so that it fits a file name', () => {
    const link = legacyLogLink(samplePod({}, { name: 'n'.repeat(253) }), 'web', 'abc');
    assert.equal(link, `/var/log/containers/${'n'.repeat(251)}.log`);
  });

  it('stay inside their directories', () => {
    for (const name of ['../x', 'a/b', 'a\0b']) {
      const code = { code: 'invalid-argument' };
      assert.throws(() => podLogDirectory('/var/log/pods', samplePod({}, { name })), code);
      assert.throws(() => podLogDirectory('/var/log/pods', samplePod({}, { namespace: name })), code);
      assert.throws(() => containerLogPath(name, 0), code);
      assert.throws(() => legacyLogLink(samplePod(), name, 'abc'), code);
    }
    assert.throws(() => containerLogPath('..', 0));
  });
});
