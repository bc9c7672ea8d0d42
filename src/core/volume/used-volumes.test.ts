import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import type { PodSpec } from '../api/pod.ts';
import { computeFsUser } from './fs-user.ts';
import { toNestedMounts } from './nested-mounts.ts';
import { toUsedVolumes } from './used-volumes.ts';
import { toVolumeObjects } from './volume-objects.ts';

const mounting = (...names: string[]) =>
  sampleContainer({ volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })) });

describe('toUsedVolumes', () => {
  it('has what any kind of container mounts, gets as a device or reads variables from, in order', () => {
    const pod = samplePod({
      volumes: ['e', 'd', 'c', 'b', 'a', 'unused'].map((name) => ({ name, emptyDir: {} })),
      initContainers: [mounting('a')],
      containers: [
        mounting('b'),
        sampleContainer({ volumeDevices: [{ name: 'c', devicePath: '/dev/x' }] }),
        sampleContainer({
          env: [{ name: 'X', valueFrom: { fileKeyRef: { volumeName: 'e', path: 'f', key: 'X' } } }],
        }),
      ],
      ephemeralContainers: [mounting('d')],
    });
    assert.deepEqual(
      toUsedVolumes(pod).map(({ name }) => name),
      ['e', 'd', 'c', 'b', 'a'],
    );
  });
});

describe('toVolumeObjects', () => {
  it('has each object of used volumes once', () => {
    const pod = samplePod({
      containers: [mounting('a', 'b', 'c')],
      volumes: [
        { name: 'a', configMap: { name: 'one' } },
        { name: 'b', secret: { secretName: 'two' } },
        {
          name: 'c',
          projected: { sources: [{ configMap: { name: 'one' } }, { secret: { name: 'three' } }] },
        },
        { name: 'unused', configMap: { name: 'four' } },
      ],
    });
    assert.deepEqual(
      toVolumeObjects(pod).map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`),
      ['configmap market/one', 'secret market/two', 'secret market/three'],
    );
  });
});

describe('toNestedMounts', () => {
  const nested = (...paths: [name: string, mountPath: string][]) =>
    toNestedMounts(
      samplePod({
        containers: [
          sampleContainer({ volumeMounts: paths.map(([name, mountPath]) => ({ name, mountPath })) }),
        ],
      }),
      'v',
    );

  it('has the first level below the volume only', () => {
    assert.deepEqual(
      nested(['v', '/etc/app/'], ['a', '/etc/app/x/y'], ['b', '/etc/app/x/y/z'], ['c', '/etc/apple']),
      {
        ok: true,
        value: ['x/y'],
      },
    );
  });

  it('nested mount point that leads out of the volume: is cleaned first and then lies elsewhere', () => {
    const outside = [
      '/etc/cfg/../../../../x/y',
      '/etc/cfg/..',
      '/etc/cfg/../cfg2/x',
      '/etc/cfg/./../up',
      '/etc/cfg/a/../../b',
    ];
    for (const path of outside)
      assert.deepEqual(nested(['v', '/etc/cfg'], ['a', path]), { ok: true, value: [] });
    const inside = ['/etc/cfg/a/../b//c/./d/', '/etc/../etc/cfg/b/c/d', '//etc/cfg/b/c/d', 'etc/cfg/b/c/d'];
    for (const path of inside)
      assert.deepEqual(nested(['v', '/etc/./cfg/'], ['a', path]), { ok: true, value: ['b/c/d'] });
    assert.deepEqual(nested(['v', '/'], ['a', '/../x']), { ok: true, value: ['x'] });
  });

  it('refuses a place above', () => {
    assert.deepEqual(nested(['v', '../up']), { ok: false, message: 'invalid container mount point ../up' });
  });
});

describe('computeFsUser', () => {
  const user = (own: number | undefined, ...users: (number | undefined)[]): number | undefined => {
    const containers = users.map((runAsUser) =>
      sampleContainer(runAsUser === undefined ? {} : { securityContext: { runAsUser } }),
    );
    const spec: Partial<PodSpec> = {
      containers,
      ...(own === undefined ? {} : { securityContext: { runAsUser: own } }),
    };
    return computeFsUser(samplePod(spec));
  };

  it('is the one user of all containers', () => {
    assert.equal(user(undefined, 5, 5), 5);
    assert.equal(user(7, undefined, 7), 7);
  });

  it('is undefined when one is missing or two differ', () => {
    assert.equal(user(undefined, 5, undefined), undefined);
    assert.equal(user(7, undefined, 8), undefined);
    assert.equal(user(undefined, undefined), undefined);
  });
});
