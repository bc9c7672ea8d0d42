import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfiguration } from '../config/load/load-configuration.ts';
import { toEvictionSettings } from './eviction-settings.ts';

function settings(document: object, flags: readonly string[] = []) {
  const base = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  const text = JSON.stringify({
    ...base,
    containerRuntimeEndpoint: 'unix:///run/x.sock',
    authentication: { webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    ...document,
  });
  const outcome = loadConfiguration(['--config=/k.yaml', ...flags], {
    cwd: '/',
    readFile: () => text,
    readDir: () => [],
  });
  assert.equal(outcome.kind, 'loaded', JSON.stringify(outcome));
  return outcome.kind === 'loaded' ? toEvictionSettings(outcome) : undefined;
}

describe('toEvictionSettings', () => {
  it('has the defaults of the configuration, and the limit of all pods together', () => {
    const found = settings({});
    assert.deepEqual(found?.thresholds.map(({ signal }) => signal).sort(), [
      'allocatableMemory.available',
      'imagefs.available',
      'imagefs.inodesFree',
      'memory.available',
      'nodefs.available',
      'nodefs.inodesFree',
    ]);
    assert.deepEqual([found?.transitionMs, found?.maxPodGraceSeconds], [300_000, 0]);
  });

  it('counts page cache as in use, as upstream, unless the flag says otherwise', () => {
    assert.equal(settings({})?.sparesPageCache, false);
    assert.equal(settings({}, ['--eviction-spares-page-cache'])?.sparesPageCache, true);
  });

  it('reads soft thresholds with their grace', () => {
    const soft = { evictionSoft: { 'memory.available': '1Gi' }, evictionMaxPodGracePeriod: 7 };
    const found = settings({ ...soft, evictionSoftGracePeriod: { 'memory.available': '1m30s' } });
    assert.deepEqual(
      found?.thresholds.filter(({ graceMs }) => graceMs > 0).map(({ signal, graceMs }) => [signal, graceMs]),
      [['memory.available', 90_000]],
    );
    assert.equal(found?.maxPodGraceSeconds, 7);
  });

  it('is off where nothing is watched', () => {
    assert.equal(settings({ evictionHard: {}, localStorageCapacityIsolation: false }), undefined);
  });
});
