import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeCgroups } from '../../../test/fakes/fake-cgroups.ts';
import { sampleNode } from '../../../test/samples/sample-pod.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { toCgroupParent } from '../../core/spec/to-sandbox-config.ts';
import { isCgroupMissing } from './missing-cgroups.ts';

const node = sampleNode();
const path = toCgroupParent(samplePod(), node);

describe('isCgroupMissing', () => {
  it('is true only while the pod has no cgroup', async () => {
    const cgroups = new FakeCgroups();
    assert.equal(await isCgroupMissing({ cgroups, node }, samplePod()), true);
    await cgroups.ensure(path);
    assert.equal(await isCgroupMissing({ cgroups, node }, samplePod()), false);
  });

  it('takes a cgroup that lacks a controller but holds containers for what it is', async () => {
    const cgroups = { exists: async () => false, children: async () => [`${path}/container`] };
    assert.equal(await isCgroupMissing({ cgroups, node }, samplePod()), false);
  });

  it('misses nothing where pods have no cgroups', async () => {
    const bare = sampleNode({ cgroupsPerQos: false });
    assert.equal(await isCgroupMissing({ cgroups: new FakeCgroups(), node: bare }, samplePod()), false);
  });
});
