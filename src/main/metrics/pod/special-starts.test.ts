import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../../test/samples/sample-pods.ts';
import { readSamples } from '../../../../test/samples/sample-readings.ts';
import { MetricRegistry } from '../../../base/metric-registry.ts';
import type { Pod } from '../../../core/api/pod.ts';
import type { Action } from '../../../core/model/actions.ts';
import { SpecialStarts } from './special-starts.ts';

const SANDBOX: Action = { kind: 'create-sandbox', attempt: 0 };
const failure = (reason: string, message = 'no') => ({ reason, message });

function withSpec(spec: Partial<Pod['spec']>): Pod {
  const pod = samplePod({});
  return { ...pod, spec: { ...pod.spec, ...spec } };
}

function startOf({ spec }: Pod): Action {
  return { kind: 'start-container', container: spec.containers[0] } as Action;
}

describe('SpecialStarts', () => {
  it('counts pods with users of their own, and once whatever keeps one from starting', () => {
    const registry = new MetricRegistry();
    const starts = new SpecialStarts(registry);
    const pod = withSpec({ hostUsers: false });
    starts.note(SANDBOX, failure('CreatePodSandboxError'), pod);
    starts.note(SANDBOX, undefined, pod);
    starts.note(startOf(pod), failure('CreateContainerError'), pod);
    starts.note(startOf(pod), failure('CreateContainerError'), pod);
    starts.note(SANDBOX, undefined, withSpec({}));
    assert.deepEqual(readSamples(registry), {
      kubelet_started_user_namespaced_pods_total: 2,
      kubelet_started_user_namespaced_pods_errors_total: 2,
    });
  });

  const rows: readonly (readonly [string, ReturnType<typeof failure> | undefined, Record<string, number>])[] =
    [
      ['a start', undefined, { kubelet_image_volume_mounted_succeed_total: 1 }],
      [
        'a program that is not there',
        failure('RunContainerError'),
        { kubelet_image_volume_mounted_succeed_total: 1 },
      ],
      [
        'a mount that failed',
        failure('CreateContainerError', 'ImageVolumeMountFailed: no'),
        { kubelet_image_volume_mounted_errors_total: 1 },
      ],
      ['another failure', failure('CreateContainerError'), {}],
    ];
  for (const [what, failed, expected] of rows)
    it(`counts the images a container shows, after ${what}`, () => {
      const registry = new MetricRegistry();
      const base = samplePod({});
      const [container] = base.spec.containers;
      assert.ok(container);
      const mounts = [
        { name: 'code', mountPath: '/code' },
        { name: 'tmp', mountPath: '/tmp' },
      ];
      const pod = withSpec({
        containers: [{ ...container, volumeMounts: mounts }],
        volumes: [
          { name: 'code', image: { reference: 'a:1' } },
          { name: 'other', image: { reference: 'b:1' } },
          { name: 'tmp', emptyDir: {} },
        ],
      });
      new SpecialStarts(registry).note(startOf(pod), failed, pod);
      assert.deepEqual(readSamples(registry), { kubelet_image_volume_requested_total: 1, ...expected });
    });
});
