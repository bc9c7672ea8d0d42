import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exited, instance, observe, samplePod } from '../../../test/samples/sample-pods.ts';
import type { Container } from '../api/pod.ts';
import { hasInstances, hasRestartAllRule, isRestartingAll } from './restart-all.ts';

const ruled = (action: 'Restart' | 'RestartAllContainers'): Container => ({
  name: 'main',
  restartPolicy: 'Never',
  restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [42] } }],
});
const pod = samplePod({ containers: [ruled('RestartAllContainers')] });
const announced = { conditions: [{ type: 'AllContainersRestarting', status: 'True' as const }] };

describe('isRestartingAll', () => {
  it('needs a rule', () => {
    const other = samplePod({ containers: [ruled('Restart')] });
    assert.equal(hasRestartAllRule(pod), true);
    assert.equal(hasRestartAllRule(other), false);
    assert.equal(isRestartingAll(other, observe([exited('main', 42)]), announced), false);
  });

  it('starts with the exit the rule names', () => {
    assert.equal(isRestartingAll(pod, observe([exited('main', 42)]), undefined), true);
    assert.equal(isRestartingAll(pod, observe([exited('main', 1)]), undefined), false);
  });

  it('only the newest instance triggers it', () => {
    const again = observe([instance('main', 'running', { id: 'c2' }), exited('main', 42)]);
    assert.equal(isRestartingAll(pod, again, undefined), false);
  });

  it('continues while it is announced', () =>
    assert.equal(isRestartingAll(pod, observe([]), announced), true));
});

describe('hasInstances', () => {
  it('ephemeral containers are not part of the restart', () => {
    const debugged = samplePod({ ephemeralContainers: [{ name: 'debug' }] });
    assert.equal(hasInstances(debugged, observe([instance('debug', 'running')])), false);
    assert.equal(hasInstances(debugged, observe([exited('main', 0)])), true);
  });
});
