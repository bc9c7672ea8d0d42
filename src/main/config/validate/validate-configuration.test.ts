import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderViolation, type ValidationContext, type Violation } from '../configuration-rule.ts';
import { applyDefaults } from '../default-configuration.ts';
import { resolveFeatureGates } from '../features.ts';
import { type JsonObject, type JsonValue, withValueAt } from '../json-value.ts';
import type { KubeletConfiguration } from '../kubelet-configuration.ts';
import { CIPHER_SUITES } from '../tls-names.ts';
import { validateConfiguration } from './validate-configuration.ts';

type Settings = Readonly<Record<string, JsonValue>>;
type Host = Omit<Partial<ValidationContext>, 'gates'>;

/** Defaults with these dotted paths set afterwards, as a flag would: zero stays zero. */
function violationsOf(
  settings: Settings,
  gateSettings: Readonly<Record<string, boolean>> = {},
  host: Host = {},
): readonly Violation[] {
  const { gates } = resolveFeatureGates(gateSettings);
  const base: JsonObject = applyDefaults({}, gates);
  const config = Object.entries(settings).reduce((result, [path, value]) => {
    // Keys of free maps may contain dots, so maps are set whole.
    return withValueAt(result, path, value);
  }, base);
  const context = { gates, standalone: false, cgroupVersion: 2, ...host } as const;
  return validateConfiguration(config as unknown as KubeletConfiguration, context);
}

const VALID: readonly Settings[] = [
  {},
  { port: 1 },
  { port: 65535 },
  { readOnlyPort: 0, healthzPort: 0 },
  { oomScoreAdj: -1000 },
  { oomScoreAdj: 1000 },
  { nodeStatusMaxImages: -1 },
  { maxParallelImagePulls: 5, serializeImagePulls: false },
  { maxParallelImagePulls: 1 },
  { imageMaximumGCAge: '2m1s' },
  { imageGCHighThresholdPercent: 100, imageGCLowThresholdPercent: 99 },
  { cpuCFSQuotaPeriod: '1ms' },
  { cpuCFSQuotaPeriod: '1s' },
  { 'crashLoopBackOff.maxContainerRestartPeriod': '1s' },
  { enforceNodeAllocatable: ['none'], cgroupsPerQOS: false },
  { enforceNodeAllocatable: [], cgroupsPerQOS: false },
  { enforceNodeAllocatable: ['pods', 'kube-reserved'], kubeReservedCgroup: '/kube' },
  { evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '0%', 'pid.available': '100%' } },
  { evictionSoft: { 'memory.available': '1Gi' }, evictionSoftGracePeriod: { 'memory.available': '1m30s' } },
  { evictionMinimumReclaim: { 'nodefs.available': '0', 'imagefs.available': '2Gi' } },
  { containerLogMaxSize: '-1' },
  { systemReserved: { cpu: '500m', memory: '1Gi', pid: '100', 'ephemeral-storage': '0' } },
  { reservedSystemCPUs: '0-3,7' },
  {
    reservedMemory: [
      { numaNode: 0, limits: { memory: '1Gi', 'hugepages-2Mi': '2Mi' } },
      { numaNode: 1, limits: { memory: '1Gi' } },
    ],
  },
  { cpuManagerPolicyOptions: { 'full-pcpus-only': 'true', 'distribute-cpus-across-numa': 'true' } },
  { topologyManagerPolicyOptions: { 'prefer-closest-numa-nodes': 'true', 'max-allowable-numa-nodes': '8' } },
  { shutdownGracePeriod: '30s', shutdownGracePeriodCriticalPods: '10s' },
  { shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 5 }] },
  { 'logging.format': 'json' },
  { 'logging.vmodule': [{ filePattern: 'a*', verbosity: 3 }] },
  { tracing: { endpoint: 'localhost:4317', samplingRatePerMillion: 1_000_000 } },
  { tracing: { endpoint: 'dns://authority/host:1' } },
  { tracing: { endpoint: 'unix:///run/otel.sock' } },
  {
    tlsMinVersion: 'VersionTLS13',
    tlsCurvePreferences: [29, 4588],
    tlsCipherSuites: ['TLS_RSA_WITH_RC4_128_SHA'],
  },
  { registerWithTaints: [{ key: 'example.com/a', value: 'b', effect: 'NoExecute' }] },
  {
    imagePullCredentialsVerificationPolicy: 'NeverVerifyAllowlistedImages',
    preloadedImagesVerificationAllowlist: ['registry.example:5000/app', 'docker.io/library/*', 'docker.io'],
  },
  { 'userNamespaces.idsPerPod': 131072 },
  { 'memorySwap.swapBehavior': 'LimitedSwap' },
  { memoryThrottlingFactor: 1 },
  { showHiddenMetricsForVersion: '1.35' },
  { podLogsDir: '/' },
];

/** [settings, path of the one violation, words of its message] */
const INVALID: ReadonlyArray<readonly [Settings, string, RegExp]> = [
  [{ port: 0 }, 'port', /between 1 and 65535/],
  [{ port: 65536 }, 'port', /between 1 and 65535/],
  [{ readOnlyPort: -1 }, 'readOnlyPort', /between 0 and 65535/],
  [{ healthzPort: 65536 }, 'healthzPort', /between 0 and 65535/],
  [{ oomScoreAdj: -1001 }, 'oomScoreAdj', /between -1000 and 1000/],
  [{ eventBurst: -1 }, 'eventBurst', /at least 0/],
  [{ eventRecordQPS: -1 }, 'eventRecordQPS', /at least 0/],
  [{ kubeAPIBurst: -1 }, 'kubeAPIBurst', /at least 0/],
  [{ kubeAPIQPS: -1 }, 'kubeAPIQPS', /at least 0/],
  [{ registryPullQPS: -1 }, 'registryPullQPS', /at least 0/],
  [{ registryBurst: -1 }, 'registryBurst', /at least 0/],
  [{ maxOpenFiles: -1 }, 'maxOpenFiles', /at least 0/],
  [{ maxPods: -1 }, 'maxPods', /at least 0/],
  [{ podsPerCore: -1 }, 'podsPerCore', /at least 0/],
  [{ nodeStatusMaxImages: -2 }, 'nodeStatusMaxImages', /at least -1/],
  [{ nodeLeaseDurationSeconds: 0 }, 'nodeLeaseDurationSeconds', /at least 1/],
  [{ syncFrequency: '0s' }, 'syncFrequency', /greater than 0s/],
  [{ maxParallelImagePulls: 0 }, 'maxParallelImagePulls', /at least 1/],
  [{ maxParallelImagePulls: 5 }, 'maxParallelImagePulls', /unless serializeImagePulls is false/],
  [{ imageGCHighThresholdPercent: 101 }, 'imageGCHighThresholdPercent', /between 0 and 100/],
  [{ imageGCLowThresholdPercent: -1 }, 'imageGCLowThresholdPercent', /between 0 and 100/],
  [
    { imageGCLowThresholdPercent: 85 },
    'imageGCLowThresholdPercent',
    /less than imageGCHighThresholdPercent \(85\)/,
  ],
  [{ imageMinimumGCAge: '-1s' }, 'imageMinimumGCAge', /at least 0s/],
  [{ imageMaximumGCAge: '-1s' }, 'imageMaximumGCAge', /at least 0s/],
  [{ imageMaximumGCAge: '2m0s' }, 'imageMaximumGCAge', /greater than imageMinimumGCAge \(2m0s\)/],
  [{ iptablesMasqueradeBit: 32 }, 'iptablesMasqueradeBit', /between 0 and 31/],
  [{ iptablesDropBit: -1 }, 'iptablesDropBit', /between 0 and 31/],
  [{ hairpinMode: 'x' }, 'hairpinMode', /one of "promiscuous-bridge"/],
  [{ runOnce: true }, 'runOnce', /must be false/],
  [{ cpuCFSQuotaPeriod: '999µs' }, 'cpuCFSQuotaPeriod', /between 1ms and 1s/],
  [{ cpuCFSQuotaPeriod: '1.1s' }, 'cpuCFSQuotaPeriod', /between 1ms and 1s/],
  [{ containerRuntimeEndpoint: '' }, 'containerRuntimeEndpoint', /not be empty/],
  [{ containerLogMaxFiles: 1 }, 'containerLogMaxFiles', /at least 2/],
  [{ containerLogMaxWorkers: 0 }, 'containerLogMaxWorkers', /at least 1/],
  [{ containerLogMonitorInterval: '2.9s' }, 'containerLogMonitorInterval', /at least 3s/],
  [{ containerLogMaxSize: '10m' }, 'containerLogMaxSize', /whole bytes/],
  [{ containerLogMaxSize: 'big' }, 'containerLogMaxSize', /whole bytes/],
  [{ podLogsDir: '' }, 'podLogsDir', /not be empty/],
  [{ podLogsDir: 'logs' }, 'podLogsDir', /absolute/],
  [{ podLogsDir: '/a/../b' }, 'podLogsDir', /normalized: "\/b"/],
  [{ podLogsDir: '/a/' }, 'podLogsDir', /normalized: "\/a"/],
  [{ podLogsDir: '/é' }, 'podLogsDir', /ASCII/],
  [
    { 'crashLoopBackOff.maxContainerRestartPeriod': '301s' },
    'crashLoopBackOff.maxContainerRestartPeriod',
    /1s and 300s/,
  ],
  [
    { 'crashLoopBackOff.maxContainerRestartPeriod': '0s' },
    'crashLoopBackOff.maxContainerRestartPeriod',
    /1s and 300s/,
  ],
  [{ 'memorySwap.swapBehavior': 'UnlimitedSwap' }, 'memorySwap.swapBehavior', /"NoSwap", "LimitedSwap"/],
  [{ 'userNamespaces.idsPerPod': 65537 }, 'userNamespaces.idsPerPod', /multiple of 65536/],
  [{ 'userNamespaces.idsPerPod': 0 }, 'userNamespaces.idsPerPod', /multiple of 65536/],
  [{ 'userNamespaces.idsPerPod': 4294967296 }, 'userNamespaces.idsPerPod', /multiple of 65536/],
  [{ tlsMinVersion: 'TLS1.2' }, 'tlsMinVersion', /VersionTLS12/],
  [{ tlsCipherSuites: ['TLS_AES_128_GCM_SHA256', 'X'] }, 'tlsCipherSuites[1]', /cipher suite/],
  [{ tlsCurvePreferences: [29, 29] }, 'tlsCurvePreferences[1]', /repeated/],
  [{ tlsCurvePreferences: [1] }, 'tlsCurvePreferences[0]', /one of 23, 24/],
  [{ 'authorization.mode': 'RBAC' }, 'authorization.mode', /"AlwaysAllow", "Webhook"/],
  [
    { enableSystemLogQuery: true, enableSystemLogHandler: false },
    'enableSystemLogQuery',
    /enableSystemLogHandler/,
  ],
  [{ showHiddenMetricsForVersion: '1.34' }, 'showHiddenMetricsForVersion', /"1.35"/],
  [
    { configMapAndSecretChangeDetectionStrategy: 'x' },
    'configMapAndSecretChangeDetectionStrategy',
    /"Get", "Cache", "Watch"/,
  ],
  [{ systemCgroups: '/sys' }, 'systemCgroups', /requires cgroupRoot/],
  [{ enforceNodeAllocatable: ['pods', 'x'] }, 'enforceNodeAllocatable[1]', /one of "none", "pods"/],
  [{ enforceNodeAllocatable: ['pods', 'pods'] }, 'enforceNodeAllocatable[1]', /repeated/],
  [{ enforceNodeAllocatable: ['none', 'pods'] }, 'enforceNodeAllocatable', /beside "none"/],
  [
    { enforceNodeAllocatable: ['kube-reserved', 'kube-reserved-compressible'], kubeReservedCgroup: '/k' },
    'enforceNodeAllocatable',
    /both "kube-reserved" and "kube-reserved-compressible"/,
  ],
  [
    { enforceNodeAllocatable: ['system-reserved-compressible'] },
    'systemReservedCgroup',
    /contains "system-reserved-compressible"/,
  ],
  [{ cgroupsPerQOS: false }, 'cgroupsPerQOS', /must be true/],
  [{ systemReserved: { gpu: '1' } }, 'systemReserved.gpu', /cpu, memory, ephemeral-storage, pid/],
  [{ kubeReserved: { cpu: '-1' } }, 'kubeReserved.cpu', /at least 0/],
  [{ kubeReserved: { cpu: 'x' } }, 'kubeReserved.cpu', /at least 0/],
  [{ reservedSystemCPUs: '3-1' }, 'reservedSystemCPUs', /CPU list/],
  [{ reservedSystemCPUs: '0, 2' }, 'reservedSystemCPUs', /CPU list/],
  [{ reservedSystemCPUs: '0', kubeReservedCgroup: '/k' }, 'reservedSystemCPUs', /kubeReservedCgroup/],
  [
    { reservedMemory: [{ numaNode: 0, limits: { cpu: '1' } }] },
    'reservedMemory[0].limits.cpu',
    /memory or hugepages/,
  ],
  [
    { reservedMemory: [{ numaNode: 0, limits: { memory: '0' } }] },
    'reservedMemory[0].limits.memory',
    /not be zero/,
  ],
  [
    {
      reservedMemory: [
        { numaNode: 0, limits: { memory: '1' } },
        { numaNode: 0, limits: { memory: '1' } },
      ],
    },
    'reservedMemory[1].limits.memory',
    /repeated for NUMA node 0/,
  ],
  [{ qosReserved: { memory: '50%' } }, 'qosReserved.memory', /feature gate QOSReserved/],
  [{ cpuManagerPolicy: 'dynamic' }, 'cpuManagerPolicy', /"none", "static"/],
  [{ cpuManagerPolicyOptions: { x: 'true' } }, 'cpuManagerPolicyOptions.x', /options are full-pcpus-only/],
  [
    { cpuManagerPolicyOptions: { 'full-pcpus-only': 'y' } },
    'cpuManagerPolicyOptions.full-pcpus-only',
    /true or false/,
  ],
  [
    { cpuManagerPolicyOptions: { 'align-by-socket': 'true' } },
    'cpuManagerPolicyOptions.align-by-socket',
    /CPUManagerPolicyAlphaOptions/,
  ],
  [
    {
      cpuManagerPolicyOptions: {
        'prefer-align-cpus-by-uncorecache': 'true',
        'distribute-cpus-across-numa': 'true',
      },
    },
    'cpuManagerPolicyOptions.prefer-align-cpus-by-uncorecache',
    /cannot be combined with distribute-cpus-across-numa/,
  ],
  [{ memoryManagerPolicy: 'static' }, 'memoryManagerPolicy', /"None", "Static"/],
  [{ topologyManagerPolicy: 'x' }, 'topologyManagerPolicy', /"best-effort"/],
  [{ topologyManagerScope: 'x' }, 'topologyManagerScope', /"container", "pod"/],
  [
    { topologyManagerPolicyOptions: { 'max-allowable-numa-nodes': '7' } },
    'topologyManagerPolicyOptions.max-allowable-numa-nodes',
    /at least 8/,
  ],
  [{ topologyManagerPolicyOptions: { x: '1' } }, 'topologyManagerPolicyOptions.x', /is unknown/],
  [{ memoryThrottlingFactor: 0 }, 'memoryThrottlingFactor', /greater than 0 and at most 1/],
  [{ memoryThrottlingFactor: 1.1 }, 'memoryThrottlingFactor', /greater than 0 and at most 1/],
  [{ memoryReservationPolicy: 'x' }, 'memoryReservationPolicy', /"TieredReservation"/],
  [{ memoryReservationPolicy: 'TieredReservation' }, 'memoryReservationPolicy', /MemoryQoS/],
  [{ evictionHard: { 'cpu.available': '1' } }, 'evictionHard.cpu.available', /not an eviction signal/],
  [{ evictionHard: { 'memory.available': '0' } }, 'evictionHard.memory.available', /positive quantity/],
  [{ evictionHard: { 'memory.available': '101%' } }, 'evictionHard.memory.available', /between 0% and 100%/],
  [{ evictionHard: { 'memory.available': '-1%' } }, 'evictionHard.memory.available', /between 0% and 100%/],
  [
    { evictionSoft: { 'memory.available': '1Gi' } },
    'evictionSoftGracePeriod.memory.available',
    /needs a grace period/,
  ],
  [
    { evictionSoftGracePeriod: { 'memory.available': 'soon' } },
    'evictionSoftGracePeriod.memory.available',
    /duration/,
  ],
  [
    { evictionMinimumReclaim: { 'memory.available': '-1' } },
    'evictionMinimumReclaim.memory.available',
    /quantity/,
  ],
  [{ shutdownGracePeriod: '500ms' }, 'shutdownGracePeriod', /0s or at least 1s/],
  [
    { shutdownGracePeriod: '5s', shutdownGracePeriodCriticalPods: '6s' },
    'shutdownGracePeriodCriticalPods',
    /at most shutdownGracePeriod \(5s\)/,
  ],
  [
    {
      shutdownGracePeriod: '5s',
      shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 5 }],
    },
    'shutdownGracePeriodByPodPriority',
    /cannot be combined/,
  ],
  [{ registerWithTaints: [{ key: '', effect: 'NoExecute' }] }, 'registerWithTaints[0].key', /63 letters/],
  [
    { registerWithTaints: [{ key: 'a', value: 'b c', effect: 'NoExecute' }] },
    'registerWithTaints[0].value',
    /63 letters/,
  ],
  [{ registerWithTaints: [{ key: 'a', effect: '' }] }, 'registerWithTaints[0].effect', /NoSchedule/],
  [
    { registerWithTaints: [{ key: 'a', effect: 'NoExecute', timeAdded: 'now' }] },
    'registerWithTaints[0].timeAdded',
    /not be set/,
  ],
  [{ imagePullCredentialsVerificationPolicy: 'x' }, 'imagePullCredentialsVerificationPolicy', /AlwaysVerify/],
  [
    { preloadedImagesVerificationAllowlist: ['docker.io'] },
    'preloadedImagesVerificationAllowlist',
    /NeverVerifyAllowlistedImages/,
  ],
  ...(
    [
      [' docker.io/a', /spaces/],
      ['docker.io/a:v1', /tag/],
      ['docker.io/a@sha256:0', /digest/],
      ['docker.io/a*', /trailing/],
      ['/*', /registry host/],
      ['', /registry host/],
    ] as const
  ).map(
    ([pattern, message]) =>
      [
        {
          imagePullCredentialsVerificationPolicy: 'NeverVerifyAllowlistedImages',
          preloadedImagesVerificationAllowlist: [pattern],
        },
        'preloadedImagesVerificationAllowlist[0]',
        message,
      ] as const,
  ),
  [{ 'logging.format': 'xml' }, 'logging.format', /"text", "json"/],
  [{ 'logging.flushFrequency': '0s' }, 'logging.flushFrequency', /greater than 0s/],
  [{ 'logging.verbosity': 2147483648 }, 'logging.verbosity', /2147483647/],
  [
    { 'logging.format': 'json', 'logging.vmodule': [{ filePattern: 'a', verbosity: 1 }] },
    'logging.vmodule',
    /format "text"/,
  ],
  [
    { 'logging.vmodule': [{ filePattern: 'a=b', verbosity: 1 }] },
    'logging.vmodule[0].filePattern',
    /without "="/,
  ],
  [{ 'logging.options.text.splitStream': true }, 'logging.options.text.splitStream', /LoggingAlphaOptions/],
  [
    { 'logging.options.json.infoBufferSize': '1Ki' },
    'logging.options.json.infoBufferSize',
    /LoggingAlphaOptions/,
  ],
  [{ tracing: { endpoint: 'http://localhost' } }, 'tracing.endpoint', /no scheme or one of dns/],
  [
    { tracing: { samplingRatePerMillion: 1_000_001 } },
    'tracing.samplingRatePerMillion',
    /between 0 and 1000000/,
  ],
];

describe('validateConfiguration', () => {
  for (const settings of VALID) {
    it(`accepts ${JSON.stringify(settings)}`, () => {
      assert.deepEqual(violationsOf(settings), []);
    });
  }

  for (const [settings, path, message] of INVALID) {
    it(`refuses ${JSON.stringify(settings)} at ${path}`, () => {
      const violations = violationsOf(settings).filter((violation) => violation.path === path);
      assert.ok(
        violations.some((violation) => message.test(violation.message)),
        JSON.stringify(violationsOf(settings)),
      );
    });
  }

  it('reports every violation at once', () => {
    const paths = violationsOf({ port: 0, maxPods: -1, hairpinMode: 'x' }).map((violation) => violation.path);
    assert.deepEqual(paths, ['port', 'maxPods', 'hairpinMode']);
  });

  const gated: ReadonlyArray<readonly [Settings, Readonly<Record<string, boolean>>, string]> = [
    [{ serverTLSBootstrap: true }, { RotateKubeletServerCertificate: false }, 'serverTLSBootstrap'],
    [{ cpuCFSQuotaPeriod: '50ms' }, { CustomCPUCFSQuotaPeriod: false }, 'cpuCFSQuotaPeriod'],
    [
      { 'crashLoopBackOff.maxContainerRestartPeriod': '10s' },
      { KubeletCrashLoopBackOffMax: false },
      'crashLoopBackOff.maxContainerRestartPeriod',
    ],
    [
      { imagePullCredentialsVerificationPolicy: 'NeverVerify' },
      { KubeletEnsureSecretPulledImages: false },
      'imagePullCredentialsVerificationPolicy',
    ],
    [
      { shutdownGracePeriod: '5s' },
      {
        GracefulNodeShutdown: false,
        GracefulNodeShutdownBasedOnPodPriority: false,
        WindowsGracefulNodeShutdown: false,
      },
      'shutdownGracePeriod',
    ],
    [
      { shutdownGracePeriodByPodPriority: [{ priority: 1, shutdownGracePeriodSeconds: 5 }] },
      { GracefulNodeShutdownBasedOnPodPriority: false },
      'shutdownGracePeriodByPodPriority',
    ],
  ];
  for (const [settings, off, path] of gated) {
    it(`refuses ${path} while its gate is off, and accepts it while on`, () => {
      assert.deepEqual(violationsOf(settings), []);
      assert.deepEqual(
        violationsOf(settings, off).map((violation) => violation.path),
        [path],
      );
    });
  }

  it('accepts what an alpha gate allows once the gate is on', () => {
    assert.deepEqual(violationsOf({ qosReserved: { memory: '50%' } }, { QOSReserved: true }), []);
    assert.deepEqual(violationsOf({ memoryReservationPolicy: 'TieredReservation' }, { MemoryQoS: true }), []);
    assert.deepEqual(
      violationsOf({ 'logging.options.text.splitStream': true }, { LoggingAlphaOptions: true }),
      [],
    );
    assert.equal(violationsOf({ qosReserved: { cpu: '50%' } }, { QOSReserved: true }).length, 1);
  });

  it('checks the cgroup version only where it matters', () => {
    const pathsOn = (cgroupVersion: 1 | 2, settings: Settings) =>
      violationsOf(settings, {}, { cgroupVersion }).map((violation) => violation.path);
    assert.deepEqual(pathsOn(1, {}), ['failCgroupV1']);
    assert.deepEqual(pathsOn(1, { failCgroupV1: false }), []);
    assert.deepEqual(pathsOn(1, { failCgroupV1: false, singleProcessOOMKill: false }), [
      'singleProcessOOMKill',
    ]);
    assert.deepEqual(pathsOn(1, { failCgroupV1: false, 'memorySwap.swapBehavior': 'LimitedSwap' }), [
      'memorySwap.swapBehavior',
    ]);
    assert.deepEqual(pathsOn(2, { singleProcessOOMKill: false }), []);
  });

  it('wants authentication and authorization without API server when standalone', () => {
    const standalone = { standalone: true };
    assert.deepEqual(
      violationsOf({}, {}, standalone).map((violation) => violation.path),
      ['authorization.mode', 'authentication.webhook.enabled'],
    );
    const open = { 'authorization.mode': 'AlwaysAllow', 'authentication.webhook.enabled': false };
    assert.deepEqual(violationsOf(open, {}, standalone), []);
    assert.deepEqual(
      violationsOf({ ...open, configMapAndSecretChangeDetectionStrategy: 'x' }, {}, standalone),
      [],
    );
  });
});

describe('renderViolation', () => {
  it('names the field, its flag, the value and the range', () => {
    assert.equal(
      renderViolation({ path: 'port', value: 0, message: 'must be between 1 and 65535, inclusive' }),
      'invalid configuration: port (--port) 0 must be between 1 and 65535, inclusive',
    );
    assert.equal(
      renderViolation({ path: 'evictionSoftGracePeriod.pid.available', message: 'must be set' }),
      'invalid configuration: evictionSoftGracePeriod.pid.available must be set',
    );
  });
});

describe('CIPHER_SUITES', () => {
  it('has both families of names', () => {
    assert.equal(CIPHER_SUITES.size, 27);
    assert.ok(CIPHER_SUITES.has('TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256'));
    assert.ok(!CIPHER_SUITES.has('TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA'));
  });
});
