import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, samplePod } from '../../../test/samples/sample-pod.ts';
import type { PodSpec, SeLinuxOptions } from '../api/pod.ts';
import { renderContextOption, toMountContext } from './mount-context.ts';

const FILE = 'system_u:object_r:container_file_t:s0';

function context(
  options: readonly (SeLinuxOptions | undefined)[],
  more: {
    modes?: string[];
    spec?: Partial<PodSpec>;
    fileContext?: string | undefined;
    mountName?: string;
  } = {},
) {
  const volume = { name: 'data', persistentVolumeClaim: { claimName: 'disk' } };
  const pod = samplePod({
    volumes: [volume, { name: 'again', persistentVolumeClaim: { claimName: 'disk' } }],
    containers: options.map((seLinuxOptions, index) =>
      sampleContainer({
        name: `c${index}`,
        volumeMounts: [{ name: index === 0 ? 'data' : (more.mountName ?? 'again'), mountPath: '/data' }],
        ...(seLinuxOptions === undefined ? {} : { securityContext: { seLinuxOptions } }),
      }),
    ),
    ...more.spec,
  });
  return toMountContext({
    pod,
    volume,
    persistent: {
      volume: { metadata: { name: 'pv' }, spec: { accessModes: more.modes ?? ['ReadWriteOncePod'] } },
      claim: { metadata: { name: 'disk', namespace: 'market' }, spec: {} },
      readOnly: false,
      mode: 'Filesystem',
    },
    fileContext: 'fileContext' in more ? more.fileContext : FILE,
  });
}

describe('toMountContext', () => {
  it('is the label of files with the level and user of the containers', () => {
    const level = 's0:c1,c2';
    assert.deepEqual(context([{ level }]), {
      ok: true,
      value: `system_u:object_r:container_file_t:${level}`,
    });
    const other = context([{ user: 'u', role: 'r', type: 't', level }]);
    assert.deepEqual(other, { ok: true, value: `u:object_r:container_file_t:${level}` });
    assert.deepEqual(context([{ type: 't' }]), { ok: true, value: FILE });
    assert.equal(renderContextOption('a:b:c:s0:c1,c2'), 'context="a:b:c:s0:c1,c2"');
  });

  it('is the pod’s where a container has none of its own', () => {
    const spec = { securityContext: { seLinuxOptions: { level: 's0:c9' } } };
    assert.deepEqual(context([undefined], { spec }), { ok: true, value: `${FILE}:c9` });
  });

  it('is none without SELinux, without options, for many pods or when files are to be labelled', () => {
    const level = { level: 's0:c1' };
    assert.deepEqual(context([level], { fileContext: undefined }), { ok: true, value: undefined });
    assert.deepEqual(context([undefined]), { ok: true, value: undefined });
    assert.deepEqual(context([{}]), { ok: true, value: undefined });
    for (const modes of [['ReadWriteOnce'], ['ReadWriteOncePod', 'ReadWriteOnce']])
      assert.deepEqual(context([level], { modes }), { ok: true, value: undefined });
    const spec = { securityContext: { seLinuxChangePolicy: 'Recursive' } };
    assert.deepEqual(context([level], { spec }), { ok: true, value: undefined });
  });

  it('cannot be two, under any name the pod has for the volume', () => {
    const both = [{ level: 's0:c1' }, { level: 's0:c2' }];
    assert.deepEqual(context(both), {
      ok: false,
      message: `multiple SELinux labels found: ${FILE}:c1,${FILE}:c2`,
    });
    assert.ok(context(both, { mountName: 'elsewhere' }).ok);
  });
});
