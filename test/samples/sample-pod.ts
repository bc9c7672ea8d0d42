/** A pod, a container and a node for the tests of this folder and of core/node. Not used at run time. */

import type { ObjectMeta } from '../../src/core/api/meta.ts';
import type { Container, Pod, PodSpec } from '../../src/core/api/pod.ts';
import type { EnvironmentObjects } from '../../src/core/model/environment-objects.ts';
import type { NodeProfile } from '../../src/core/model/node-profile.ts';

const GIB = 2 ** 30;
/** The gates that rules ask for, with their defaults; another name is a mistake. */
const GATES: ReadonlyMap<string, boolean> = new Map([
  ['ContainerStopSignals', false],
  ['DisableCPUQuotaWithExclusiveCPUs', true],
  ['HostnameOverride', true],
  ['InPlacePodLevelResourcesVerticalScaling', true],
  ['InPlacePodVerticalScalingInitContainers', true],
  ['LocalStorageCapacityIsolationFSQuotaMonitoring', false],
  ['MemoryQoS', false],
  ['PodLevelResources', true],
  ['QOSReserved', false],
  ['RuntimeClassInImageCriApi', false],
]);

function isOnByDefault(gate: string): boolean {
  const isOn = GATES.get(gate);
  if (isOn === undefined) throw new Error(`no gate is called "${gate}"`);
  return isOn;
}

export function sampleContainer(over: Partial<Container> = {}): Container {
  return { name: 'web', image: 'example/web:1', ...over };
}

export function samplePod(spec: Partial<PodSpec> = {}, metadata: Partial<ObjectMeta> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'shop', namespace: 'market', uid: '0a1b-2c3d', ...metadata },
    spec: { containers: [sampleContainer()], enableServiceLinks: true, dnsPolicy: 'ClusterFirst', ...spec },
  };
}

export function sampleNode(over: Partial<NodeProfile> = {}): NodeProfile {
  return {
    nodeName: 'node-1',
    bootId: 'boot-1',
    nodeIps: () => ['192.0.2.10', '2001:db8::10'],
    rootDir: '/var/lib/kubelet',
    podLogsDir: '/var/log/pods',
    clusterDomain: 'cluster.local',
    clusterDns: ['10.96.0.10'],
    resolvConfPath: '/etc/resolv.conf',
    memoryCapacityBytes: 16 * GIB,
    pageSizeBytes: 4096,
    allocatable: { cpu: '3800m', memory: '15Gi', 'ephemeral-storage': '90Gi' },
    hugepageSizesBytes: [],
    swap: { controllerAvailable: true, behavior: 'NoSwap', capacityBytes: 8 * GIB, tmpfsNoSwap: false },
    thermalThrottlePaths: ['/sys/devices/system/cpu/cpu0/thermal_throttle'],
    cgroupVersion: 2,
    cgroupDriver: 'systemd',
    cgroupRoot: '/',
    cgroupsPerQos: true,
    cpuCfsQuota: true,
    cpuCfsPeriodUs: 100_000,
    singleProcessOomKill: false,
    podPidsLimit: -1,
    memoryThrottlingFactor: 0.9,
    memoryReservationPolicy: 'None',
    seccompDefault: false,
    selinuxEnabled: false,
    features: isOnByDefault,
    runtimeHandlers: () => [{ name: '', recursiveReadOnlyMounts: true, userNamespaces: true }],
    ...over,
  };
}

/** A node where `gate` is on whatever its default. */
export function withGate(gate: string, over: Partial<NodeProfile> = {}): NodeProfile {
  return sampleNode({ features: (name) => isOnByDefault(name) || name === gate, ...over });
}

/** A cluster that holds nothing. */
export function emptyObjects(over: Partial<EnvironmentObjects> = {}): EnvironmentObjects {
  return {
    configMap: () => ({ kind: 'missing' }),
    secret: () => ({ kind: 'missing' }),
    file: () => ({ kind: 'no-volume' }),
    services: () => [],
    ...over,
  };
}
