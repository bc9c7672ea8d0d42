import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import type { ContainerPort } from '../api/pod.ts';
import { toPortMappings } from './port-mappings.ts';

const mapping = (ports: readonly ContainerPort[]) =>
  toPortMappings(samplePod({ containers: [sampleContainer({ ports })] }));
const plain = { protocol: 'TCP', hostPort: 0, hostIp: '' } as const;

describe('toPortMappings', () => {
  it('includes ports with and without a host port', () => {
    assert.deepEqual(
      mapping([
        { containerPort: 80 },
        { containerPort: 53, hostPort: 5353, protocol: 'UDP', hostIP: '127.0.0.1' },
      ]),
      [
        { ...plain, containerPort: 80 },
        { protocol: 'UDP', containerPort: 53, hostPort: 5353, hostIp: '127.0.0.1' },
      ],
    );
  });

  it('knows SCTP', () => {
    assert.deepEqual(mapping([{ containerPort: 80, protocol: 'SCTP' }]), [
      { ...plain, containerPort: 80, protocol: 'SCTP' },
    ]);
  });

  it('treats an unknown protocol as TCP', () => {
    assert.deepEqual(mapping([{ containerPort: 80, protocol: 'QUIC' as 'TCP' }]), [
      { ...plain, containerPort: 80 },
    ]);
  });

  it('keeps the first of equal ports of one container', () => {
    assert.deepEqual(
      mapping([
        { name: 'a', containerPort: 1 },
        { name: 'a', containerPort: 2 },
        { containerPort: 3 },
        { containerPort: 3 },
        { containerPort: 3, protocol: 'UDP' },
      ]).map(({ containerPort, protocol }) => `${containerPort}/${protocol}`),
      ['1/TCP', '3/TCP', '3/UDP'],
    );
  });

  it('takes equal ports of different containers, and none of init or ephemeral ones', () => {
    const container = sampleContainer({ ports: [{ containerPort: 80, hostPort: 80 }] });
    const pod = samplePod({
      containers: [container, container],
      initContainers: [container],
      ephemeralContainers: [container],
    });
    assert.equal(toPortMappings(pod).length, 2);
  });
});
