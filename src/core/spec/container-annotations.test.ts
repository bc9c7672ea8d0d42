import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import { computeContainerHash } from '../model/container-hash.ts';
import { toContainerAnnotations, toContainerLabels } from './container-annotations.ts';

describe('toContainerLabels', () => {
  it('names pod and container and copies no labels of the pod', () => {
    assert.deepEqual(toContainerLabels(samplePod({}, { labels: { app: 'x' } }), sampleContainer()), {
      'io.kubernetes.pod.name': 'shop',
      'io.kubernetes.pod.namespace': 'market',
      'io.kubernetes.pod.uid': '0a1b-2c3d',
      'io.kubernetes.container.name': 'web',
    });
  });
});

describe('toContainerAnnotations', () => {
  const hash = computeContainerHash(sampleContainer());

  it('writes the least for a plain container', () => {
    assert.deepEqual(toContainerAnnotations(samplePod(), sampleContainer(), 0), {
      'io.kubernetes.container.hash': hash,
      'io.kubernetes.container.restartCount': '0',
      'io.kubernetes.container.terminationMessagePath': '',
      'io.kubernetes.container.terminationMessagePolicy': 'File',
    });
  });

  it('writes all that a kill without a spec needs', () => {
    const preStop = { exec: { command: ['bye'] } };
    const ports = [{ containerPort: 80 }];
    const container = sampleContainer({
      lifecycle: { preStop },
      ports,
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'FallbackToLogsOnError',
    });
    const pod = samplePod({ terminationGracePeriodSeconds: 30 }, { deletionGracePeriodSeconds: 0 });
    assert.deepEqual(toContainerAnnotations(pod, container, 3), {
      'io.kubernetes.container.hash': hash,
      'io.kubernetes.container.restartCount': '3',
      'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
      'io.kubernetes.container.terminationMessagePolicy': 'FallbackToLogsOnError',
      'io.kubernetes.pod.deletionGracePeriod': '0',
      'io.kubernetes.pod.terminationGracePeriod': '30',
      'io.kubernetes.container.preStopHandler': '{"exec":{"command":["bye"]}}',
      'io.kubernetes.container.ports': '[{"containerPort":80}]',
    });
  });

  it('writes ports and hooks in the order of the API, not of the manifest', () => {
    const made = toContainerAnnotations(
      samplePod(),
      sampleContainer({
        ports: [{ hostIP: '127.0.0.1', protocol: 'TCP', containerPort: 80, hostPort: 8080, name: 'web' }],
        lifecycle: {
          preStop: {
            httpGet: {
              httpHeaders: [{ value: 'b', name: 'a' }],
              scheme: 'HTTP',
              host: 'h',
              port: 'web',
              path: '/bye',
            },
          },
        },
      }),
      0,
    );
    assert.equal(
      made['io.kubernetes.container.ports'],
      '[{"name":"web","hostPort":8080,"containerPort":80,"protocol":"TCP","hostIP":"127.0.0.1"}]',
    );
    assert.equal(
      made['io.kubernetes.container.preStopHandler'],
      '{"httpGet":{"path":"/bye","port":"web","host":"h","scheme":"HTTP","httpHeaders":[{"name":"a","value":"b"}]}}',
    );
  });

  it('keeps annotations of devices unless they are its own', () => {
    const extra = { 'example.com/a': '1', 'io.kubernetes.container.hash': 'no' };
    const made = toContainerAnnotations(samplePod(), sampleContainer({ ports: [] }), 0, extra);
    assert.equal(made['example.com/a'], '1');
    assert.equal(made['io.kubernetes.container.hash'], hash);
    assert.ok(!('io.kubernetes.container.ports' in made));
  });
});
