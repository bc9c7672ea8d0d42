import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONFIG_PATHS } from '../config/config-fields.ts';
import { HONOURED_FIELDS } from '../config/honoured-fields.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load/load-configuration.ts';
import { planReload } from './plan-reload.ts';
import { RELOADABLE_FIELDS } from './reloadable-fields.ts';

const HEAD = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
};

function load(fields: object): LoadedConfiguration {
  const outcome = loadConfiguration(['--kubeconfig=/k', '--config=/c'], {
    cwd: '/',
    cgroupVersion: 2,
    readFile: () => JSON.stringify({ ...HEAD, ...fields }),
    readDir: () => [],
  });
  assert.ok(outcome.kind === 'loaded', JSON.stringify(outcome));
  return outcome;
}

const plan = (before: object, after: object) => planReload(load(before), load(after));

describe('planReload', () => {
  it('takes nothing over where nothing differs', () => {
    assert.deepEqual(plan({ maxPods: 5 }, { maxPods: 5 }).differences, []);
  });

  it('takes over what can be reloaded and leaves what waits for a restart as it is', () => {
    const { differences, next } = plan(
      { imageGCHighThresholdPercent: 85, port: 10250 },
      { imageGCHighThresholdPercent: 90, port: 10251, logging: { verbosity: 3 } },
    );
    assert.deepEqual(
      differences.map(({ field, running, inFiles, takes }) => [field, running, inFiles, takes]),
      [
        ['port', 10250, 10251, 'restart'],
        ['imageGCHighThresholdPercent', 85, 90, 'reload'],
        ['logging.verbosity', 0, 3, 'reload'],
      ],
    );
    assert.equal(next.config.port, 10250);
    assert.equal(next.config.imageGCHighThresholdPercent, 90);
    assert.equal(next.config.logging.verbosity, 3);
  });

  it('takes over hard thresholds, but not those that allocatable follows from', () => {
    const hard = { 'memory.available': '100Mi', 'nodefs.available': '10%', 'imagefs.available': '15%' };
    const [other] = plan(
      { evictionHard: hard },
      { evictionHard: { ...hard, 'imagefs.available': '5%' } },
    ).differences;
    assert.equal(other?.takes, 'reload');
    const { differences, next } = plan(
      { evictionHard: hard },
      { evictionHard: { ...hard, 'memory.available': '1Gi' } },
    );
    assert.equal(differences[0]?.takes, 'restart');
    assert.match(differences[0]?.because ?? '', /memory\.available/);
    assert.equal(next.config.evictionHard['memory.available'], '100Mi');
  });

  it('leaves log rotation on or off as it was at the start', () => {
    const [turnedOff] = plan({}, { containerLogMaxSize: '-1' }).differences;
    assert.equal(turnedOff?.takes, 'restart');
    const [smaller] = plan({}, { containerLogMaxSize: '1Mi' }).differences;
    assert.equal(smaller?.takes, 'reload');
  });

  it('shows no secret of either side', () => {
    const url = { staticPodURL: 'http://127.0.0.1/pods' };
    const { differences } = plan(
      { ...url, staticPodURLHeader: { Authorization: ['old-secret'] } },
      { ...url, staticPodURLHeader: { Authorization: ['new-secret'] } },
    );
    assert.equal(differences[0]?.field, 'staticPodURLHeader');
    assert.doesNotMatch(JSON.stringify(differences), /secret/);
  });

  it('knows every field it lists, and has an effect for it', () => {
    for (const field of RELOADABLE_FIELDS.keys()) {
      assert.ok(CONFIG_PATHS.includes(field), field);
      assert.ok(HONOURED_FIELDS.has(field), field);
    }
  });
});
