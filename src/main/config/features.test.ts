import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FEATURE_GATES, GATE_DEPENDENCIES } from './feature-table.ts';
import {
  describeFeatureGates,
  type FeatureName,
  parseFeatureGates,
  resolveFeatureGates,
} from './features.ts';

describe('resolveFeatureGates', () => {
  it('gives every gate its default when nothing is set, without problems', () => {
    const { gates, problems, warnings } = resolveFeatureGates({});
    assert.deepEqual(problems, []);
    assert.deepEqual(warnings, []);
    for (const [name, spec] of Object.entries(FEATURE_GATES)) {
      assert.equal(gates.enabled(name as FeatureName), spec.default, name);
    }
  });

  it('honours an explicit setting', () => {
    assert.equal(resolveFeatureGates({ EventedPLEG: true }).gates.enabled('EventedPLEG'), true);
    assert.equal(
      resolveFeatureGates({ ContainerCheckpoint: false }).gates.enabled('ContainerCheckpoint'),
      false,
    );
  });

  it('reports every unknown and locked gate at once', () => {
    const { problems, gates } = resolveFeatureGates({ NoSuchGate: true, NodeSwap: false, Other: false });
    assert.deepEqual(
      problems.map((problem) => problem.message),
      [
        'unrecognized feature gate: NoSuchGate',
        'cannot set feature gate NodeSwap to false, feature is locked to true',
        'unrecognized feature gate: Other',
      ],
    );
    assert.equal(gates.enabled('NodeSwap'), true);
  });

  it('accepts a locked gate set to its default, with a warning because it is GA', () => {
    const { problems, warnings } = resolveFeatureGates({ NodeSwap: true, AllowDNSOnlyNodeCSR: true });
    assert.deepEqual(problems, []);
    assert.deepEqual(warnings, [
      'setting GA feature gate NodeSwap=true: it will be removed in a future release',
      'setting deprecated feature gate AllowDNSOnlyNodeCSR=true: it will be removed in a future release',
    ]);
  });

  it('AllAlpha turns on alpha gates only, and an explicit setting beats it in either order', () => {
    for (const settings of [
      { AllAlpha: true, PodsAPI: false, GenericWorkload: true },
      { PodsAPI: false, GenericWorkload: true, AllAlpha: true },
    ]) {
      const { gates } = resolveFeatureGates(settings);
      assert.equal(gates.enabled('MemoryQoS'), true);
      assert.equal(gates.enabled('PodsAPI'), false);
      assert.equal(gates.enabled('SELinuxMount'), false);
    }
  });

  it('AllBeta=false turns off beta gates and leaves GA ones on', () => {
    const { gates } = resolveFeatureGates({ AllBeta: false, HostnameOverride: true });
    assert.equal(gates.enabled('ContainerCheckpoint'), false);
    assert.equal(gates.enabled('HostnameOverride'), true);
    assert.equal(gates.enabled('NodeSwap'), true);
  });

  it('refuses a gate whose dependency is off, also when the gate is on by default', () => {
    assert.deepEqual(
      resolveFeatureGates({ ClusterTrustBundleProjection: true }).problems.map((problem) => problem.message),
      [
        'ClusterTrustBundleProjection is enabled, but depends on features that are disabled: [ClusterTrustBundle]',
      ],
    );
    const gates = resolveFeatureGates({ NodeDeclaredFeatures: false }).problems.map(
      (problem) => problem.gate,
    );
    assert.ok(gates.includes('ExtendWebSocketsToKubelet'));
    assert.ok(gates.includes('RestartAllContainersOnContainerExits'));
  });
});

describe('feature table', () => {
  it('has defaults that satisfy their own dependencies', () => {
    const gates = resolveFeatureGates({}).gates;
    for (const [gate, needs] of Object.entries(GATE_DEPENDENCIES)) {
      if (!gates.enabled(gate as FeatureName)) continue;
      for (const need of needs) assert.ok(gates.enabled(need), `${gate} needs ${need}`);
    }
  });

  it('lists every gate once, sorted', () => {
    const names = resolveFeatureGates({})
      .gates.list()
      .map((gate) => gate.name);
    assert.deepEqual(names, Object.keys(FEATURE_GATES).sort());
  });
});

describe('parseFeatureGates', () => {
  it('reads pairs with spaces and every spelling of a boolean', () => {
    assert.deepEqual(parseFeatureGates(' A = true,B=F,,C=1'), {
      ok: true,
      settings: { A: true, B: false, C: true },
    });
  });

  it('names a pair without value or with a bad one', () => {
    assert.deepEqual(parseFeatureGates('A'), {
      ok: false,
      message: 'missing bool value for A: want Gate=true or Gate=false',
    });
    assert.deepEqual(parseFeatureGates('A=yes'), {
      ok: false,
      message: 'invalid value of A: yes: want true or false',
    });
  });
});

describe('describeFeatureGates', () => {
  it('shows alpha and beta gates with stage and default', () => {
    const lines = describeFeatureGates();
    assert.ok(lines.includes('PodsAPI=false (ALPHA)'));
    assert.ok(!lines.some((line) => line.startsWith('NodeSwap=')));
  });
});
