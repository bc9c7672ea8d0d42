/** The facts and settings of the simulated node. */
import type { BackOffPolicy } from '../../src/base/async/back-off.ts';
import type { NodeProfile } from '../../src/core/model/node-profile.ts';
import { sampleNode } from '../samples/sample-pod.ts';

export const ROOT_DIR = '/var/lib/kubelet';
export const POD_LOGS_DIR = '/var/log/pods';

/** Heavy runtime steps at a time. */
export const GATE_WIDTH = 2;

export const CRASH_LOOP: BackOffPolicy = {
  initialMs: 10_000,
  maxMs: 300_000,
  factor: 2,
  forgetAfterMs: 600_000,
};

/** What a pod without trouble needs to start or to end, with room to spare. */
export const CALM_MS = 30_000;

export const simulatedNode: NodeProfile = sampleNode({
  nodeIps: () => ['192.168.0.2'],
  rootDir: ROOT_DIR,
  podLogsDir: POD_LOGS_DIR,
  clusterDns: [],
  resolvConfPath: '',
  memoryCapacityBytes: 8_000_000_000,
  allocatable: { cpu: '4', memory: '7Gi' },
  swap: { controllerAvailable: false, behavior: 'NoSwap', capacityBytes: 0, tmpfsNoSwap: true },
  thermalThrottlePaths: [],
  cgroupDriver: 'cgroupfs',
  features: () => false,
  runtimeHandlers: () => [],
});
