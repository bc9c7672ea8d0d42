import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseMountinfo } from '../mountinfo.ts';
import { findLayoutProblem, parseCgroupLayout } from './cgroup-layout.ts';

describe('parseCgroupLayout', () => {
  it('recognises a version 2 machine', () => {
    const mounts = parseMountinfo(
      [
        '23 27 0:22 / /sys rw shared:7 - sysfs sysfs rw',
        '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot',
      ].join('\n'),
    );
    assert.deepEqual(parseCgroupLayout(mounts), { version: 2, root: '/sys/fs/cgroup' });
  });

  it('takes the mount that covers the others', () => {
    const mounts = parseMountinfo(
      [
        '31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755',
        '32 31 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw',
      ].join('\n'),
    );
    assert.equal(parseCgroupLayout(mounts).version, 2);
    assert.equal(parseCgroupLayout(mounts.toReversed()).version, 1);
  });

  it('lists the hierarchies of a version 1 machine with a version 2 tree beside', () => {
    const mounts = parseMountinfo(
      [
        '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
        '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
        '34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset,clone_children',
        '40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,release_agent=/lib/agent,name=systemd',
        '41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw',
        '42 27 0:39 / /srv/cgroup rw - cgroup cgroup rw,memory',
      ].join('\n'),
    );
    assert.deepEqual(parseCgroupLayout(mounts), {
      version: 1,
      hierarchies: [
        { directory: '/sys/fs/cgroup/cpu,cpuacct', controllers: ['cpu', 'cpuacct'] },
        { directory: '/sys/fs/cgroup/cpuset', controllers: ['cpuset'] },
        { directory: '/sys/fs/cgroup/systemd', controllers: ['name=systemd'] },
      ],
      unified: '/sys/fs/cgroup/unified',
    });
  });

  it('has no hierarchy where no cgroup is mounted', () => {
    assert.deepEqual(parseCgroupLayout([]), { version: 1, hierarchies: [] });
  });
});

describe('findLayoutProblem', () => {
  it('names the controllers of version 1 that are not mounted', () => {
    const hierarchies = [
      { directory: '/a', controllers: ['cpu', 'cpuacct'] },
      { directory: '/b', controllers: ['memory'] },
    ];
    assert.equal(
      findLayoutProblem({ version: 1, hierarchies }),
      'system validation failed - Following Cgroup subsystem not mounted: [cpuset]',
    );
    const cpuset = { directory: '/c', controllers: ['cpuset'] };
    assert.equal(findLayoutProblem({ version: 1, hierarchies: [...hierarchies, cpuset] }), undefined);
    assert.equal(findLayoutProblem({ version: 2, root: '/sys/fs/cgroup' }), undefined);
  });
});
