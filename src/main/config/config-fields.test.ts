import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONFIG_PATHS } from './config-fields.ts';
import { applyDefaults, applyLegacyDefaults } from './default-configuration.ts';
import { resolveFeatureGates } from './features.ts';
import { HONOURED_FIELDS } from './honoured-fields.ts';
import { valueAt } from './json-value.ts';
import type { KubeletConfiguration } from './kubelet-configuration.ts';
import { renderConfiguration } from './render-config.ts';

/** The defaulted, otherwise empty v1beta1 object as a 1.36.4 kubelet encodes it. */
const ENCODED_DEFAULTS = {
  enableServer: true,
  podLogsDir: '/var/log/pods',
  syncFrequency: '1m0s',
  fileCheckFrequency: '20s',
  httpCheckFrequency: '20s',
  address: '0.0.0.0',
  port: 10250,
  authentication: { x509: {}, webhook: { enabled: true, cacheTTL: '2m0s' }, anonymous: { enabled: false } },
  authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' } },
  registryPullQPS: 5,
  registryBurst: 10,
  imagePullCredentialsVerificationPolicy: 'NeverVerifyPreloadedImages',
  eventRecordQPS: 50,
  eventBurst: 100,
  enableDebuggingHandlers: true,
  healthzPort: 10248,
  healthzBindAddress: '127.0.0.1',
  oomScoreAdj: -999,
  streamingConnectionIdleTimeout: '4h0m0s',
  nodeStatusUpdateFrequency: '10s',
  nodeStatusReportFrequency: '5m0s',
  nodeLeaseDurationSeconds: 40,
  imageMinimumGCAge: '2m0s',
  imageMaximumGCAge: '0s',
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  volumeStatsAggPeriod: '1m0s',
  cgroupsPerQOS: true,
  cgroupDriver: 'cgroupfs',
  cpuManagerPolicy: 'none',
  cpuManagerReconcilePeriod: '10s',
  memoryManagerPolicy: 'None',
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  runtimeRequestTimeout: '2m0s',
  hairpinMode: 'promiscuous-bridge',
  maxPods: 110,
  podPidsLimit: -1,
  resolvConf: '/etc/resolv.conf',
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: '100ms',
  nodeStatusMaxImages: 50,
  maxOpenFiles: 1000000,
  contentType: 'application/vnd.kubernetes.protobuf',
  kubeAPIQPS: 50,
  kubeAPIBurst: 100,
  serializeImagePulls: true,
  evictionPressureTransitionPeriod: '5m0s',
  mergeDefaultEvictionSettings: false,
  enableControllerAttachDetach: true,
  makeIPTablesUtilChains: true,
  iptablesMasqueradeBit: 14,
  iptablesDropBit: 15,
  failSwapOn: true,
  memorySwap: {},
  containerLogMaxSize: '10Mi',
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 1,
  containerLogMonitorInterval: '10s',
  configMapAndSecretChangeDetectionStrategy: 'Watch',
  enforceNodeAllocatable: ['pods'],
  volumePluginDir: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/',
  logging: {
    format: 'text',
    flushFrequency: '5s',
    verbosity: 0,
    options: { text: { infoBufferSize: '0' }, json: { infoBufferSize: '0' } },
  },
  enableSystemLogHandler: true,
  shutdownGracePeriod: '0s',
  shutdownGracePeriodCriticalPods: '0s',
  crashLoopBackOff: { maxContainerRestartPeriod: '5m0s' },
  enableProfilingHandler: true,
  enableDebugFlagsHandler: true,
  seccompDefault: false,
  memoryThrottlingFactor: 0.9,
  memoryReservationPolicy: 'None',
  registerNode: true,
  localStorageCapacityIsolation: true,
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  failCgroupV1: true,
};

describe('applyDefaults', () => {
  const defaults = applyDefaults({}, resolveFeatureGates({}).gates);

  it('gives an empty file exactly the defaults of release 1.36', () => {
    const { kind, apiVersion, ...encoded } = renderConfiguration(defaults as unknown as KubeletConfiguration);
    assert.deepEqual(encoded, ENCODED_DEFAULTS);
    assert.deepEqual([kind, apiVersion], ['KubeletConfiguration', 'kubelet.config.k8s.io/v1beta1']);
  });

  it('fills every field but the ones that stay unset', () => {
    assert.deepEqual(
      CONFIG_PATHS.filter((path) => valueAt(defaults, path) === undefined),
      ['maxParallelImagePulls', 'singleProcessOOMKill', 'tracing.endpoint', 'tracing.samplingRatePerMillion'],
    );
  });

  it('replaces zero where zero means unset and keeps it where it does not', () => {
    const config = applyDefaults(
      { port: 0, syncFrequency: '0s', registryBurst: 0, registryPullQPS: 0, healthzPort: 0, resolvConf: '' },
      resolveFeatureGates({}).gates,
    );
    assert.deepEqual(
      ['port', 'syncFrequency', 'registryBurst', 'registryPullQPS', 'healthzPort', 'resolvConf'].map(
        (path) => config[path],
      ),
      [10250, '1m0s', 10, 0, 0, ''],
    );
  });

  it('keeps an explicitly empty list', () => {
    assert.deepEqual(
      applyDefaults({ enforceNodeAllocatable: [] }, resolveFeatureGates({}).gates)['enforceNodeAllocatable'],
      [],
    );
  });

  it('lets nodeStatusReportFrequency follow an explicit nodeStatusUpdateFrequency', () => {
    const gates = resolveFeatureGates({}).gates;
    assert.equal(
      applyDefaults({ nodeStatusUpdateFrequency: '7s' }, gates)['nodeStatusReportFrequency'],
      '7s',
    );
    assert.equal(
      applyDefaults({ nodeStatusUpdateFrequency: '7s', nodeStatusReportFrequency: '1m0s' }, gates)[
        'nodeStatusReportFrequency'
      ],
      '1m0s',
    );
  });

  it('lets serializeImagePulls follow maxParallelImagePulls', () => {
    const gates = resolveFeatureGates({}).gates;
    assert.equal(applyDefaults({ maxParallelImagePulls: 2 }, gates)['serializeImagePulls'], false);
    assert.equal(applyDefaults({ maxParallelImagePulls: 1 }, gates)['serializeImagePulls'], true);
    assert.equal(
      applyDefaults({ maxParallelImagePulls: 2, serializeImagePulls: true }, gates)['serializeImagePulls'],
      true,
    );
  });

  it('leaves gated fields unset while their gate is off', () => {
    const { gates } = resolveFeatureGates({
      KubeletCrashLoopBackOffMax: false,
      KubeletEnsureSecretPulledImages: false,
    });
    const config = applyDefaults({}, gates);
    assert.deepEqual(config['crashLoopBackOff'], {});
    assert.equal(config['imagePullCredentialsVerificationPolicy'], undefined);
  });
});

describe('applyLegacyDefaults', () => {
  it('opens the four settings a kubelet without a file keeps open', () => {
    const config = applyLegacyDefaults(applyDefaults({}, resolveFeatureGates({}).gates));
    assert.deepEqual(
      [
        'authentication.anonymous.enabled',
        'authentication.webhook.enabled',
        'authorization.mode',
        'readOnlyPort',
      ].map((path) => valueAt(config, path)),
      [true, false, 'AlwaysAllow', 10255],
    );
  });
});

describe('HONOURED_FIELDS', () => {
  it('names only fields that exist', () => {
    for (const path of HONOURED_FIELDS) assert.ok(CONFIG_PATHS.includes(path), path);
  });
});
