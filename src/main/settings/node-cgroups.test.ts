import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleNode } from '../../../test/samples/sample-pod.ts';
import { toNodeCgroups } from './node-cgroups.ts';

const GIB = 2 ** 30;
const machine = {
  capacity: { cpuCount: 4, memoryBytes: 16 * GIB, ephemeralStorageBytes: 0 },
  onlineCpus: '0-3',
  pidLimit: 32_768,
};
const config = {
  enforceNodeAllocatable: ['pods'],
  systemReserved: { cpu: '200m', memory: '1Gi' },
  kubeReserved: { cpu: '300m' },
  systemReservedCgroup: '/system.slice',
  qosReserved: {},
  kubeReservedCgroup: '/kube.slice/kube-node.slice',
};

describe('toNodeCgroups', () => {
  it('takes both reservations from what pods may have, only where that is enforced', () => {
    const pods = (enforceNodeAllocatable: string[]) =>
      toNodeCgroups({ ...config, enforceNodeAllocatable }, sampleNode(), machine).allPods;
    const rest = { cpus: '0-3', pidsLimit: 32_768 };
    assert.deepEqual(pods(['pods']), { cpuShares: 3584, memoryLimitBytes: 15 * GIB, ...rest });
    assert.deepEqual(pods(['none']), { cpuShares: 4096, memoryLimitBytes: 16 * GIB, ...rest });
  });

  it('names the reserved cgroups that are enforced, as the driver writes them', () => {
    const reserved = (enforceNodeAllocatable: string[]) =>
      toNodeCgroups({ ...config, enforceNodeAllocatable }, sampleNode({ cgroupDriver: 'systemd' }), machine)
        .reserved;
    assert.deepEqual(reserved(['pods']), []);
    assert.deepEqual(reserved(['system-reserved', 'kube-reserved-compressible']), [
      {
        holder: 'system',
        name: '/system.slice',
        path: '/system.slice',
        values: { cpuShares: 204, memoryLimitBytes: GIB },
        cpuOnly: false,
      },
      {
        holder: 'kube',
        name: '/kube.slice/kube-node.slice',
        path: '/kube.slice/kube-node.slice',
        values: { cpuShares: 307 },
        cpuOnly: true,
      },
    ]);
  });

  it('keeps memory for higher classes only with the gate', () => {
    const percent = (gate: boolean, qosReserved: Record<string, string>) =>
      toNodeCgroups(
        { ...config, enforceNodeAllocatable: [], qosReserved },
        sampleNode({ features: (name) => gate && name === 'QOSReserved' }),
        machine,
      ).reservedMemoryPercent;
    assert.deepEqual(
      [percent(true, { memory: '50%' }), percent(true, {}), percent(false, { memory: '50%' })],
      [50, undefined, undefined],
    );
  });
});
