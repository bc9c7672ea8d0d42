import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OomKill, type OpenOomReport, readOomLine, renderSystemOom } from './parse-oom.ts';

function read(lines: readonly string[]): OomKill[] {
  let open: OpenOomReport;
  const kills: OomKill[] = [];
  for (const line of lines) {
    const step = readOomLine(open, line);
    open = step.open;
    if (step.kill !== undefined) kills.push(step.kill);
  }
  return kills;
}

const POD =
  '/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1234.slice/cri-containerd-ab.scope';
const BEGIN = 'stress invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=1000';
const NOISE = ['CPU: 1 PID: 4242 Comm: stress Not tainted 6.1.0-18-amd64 #1  Debian 6.1.76-1', 'Call Trace:'];

describe('readOomLine', () => {
  const rows: [what: string, lines: string[], expected: OomKill[]][] = [
    [
      'the limit of a cgroup, Linux 4.19 and later',
      [
        BEGIN,
        ...NOISE,
        `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=cri-containerd-ab.scope,mems_allowed=0,oom_memcg=${POD},task_memcg=${POD},task=stress,pid=4242,uid=0`,
        'Memory cgroup out of memory: Killed process 4242 (stress) total-vm:142696kB, anon-rss:130452kB, file-rss:268kB, shmem-rss:0kB, UID:0 pgtables:304kB oom_score_adj:1000',
      ],
      [{ victimCgroup: POD, process: 'stress', pid: 4242 }],
    ],
    [
      'the machine, Linux 4.19 and later',
      [
        BEGIN,
        ...NOISE,
        'oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=user.slice,mems_allowed=0,global_oom,task_memcg=/user.slice/user-0.slice,task=evil-program2,pid=27133,uid=1000',
        'Out of memory: Killed process 27133 (evil-program2) total-vm:1460016kB, anon-rss:1414008kB, file-rss:4kB, shmem-rss:0kB, UID:1000 pgtables:2900kB oom_score_adj:0',
      ],
      [{ victimCgroup: '/', process: 'evil-program2', pid: 27133 }],
    ],
    [
      'a cgroup, before Linux 4.19',
      [
        'ruby invoked oom-killer: gfp_mask=0x201da, order=0, oom_score_adj=0',
        'Task in /mem2 killed as a result of limit of /mem3',
        'memory: usage 980kB, limit 980kB, failcnt 4152239',
        'Killed process 19667 (evil-program2) total-vm:1460016kB, anon-rss:1414008kB, file-rss:4kB',
      ],
      [{ victimCgroup: '/mem3', process: 'evil-program2', pid: 19667 }],
    ],
    [
      'a line that names a victim outside of a report',
      ['Out of memory: Killed process 1 (a) total-vm:1kB'],
      [],
    ],
    ['other lines', ['eth0: link becomes ready', 'oom_reaper: reaped process 1 (a), now anon-rss:0kB'], []],
    ['a report that is not finished', [BEGIN, ...NOISE], []],
    [
      'a name that tries to look like the fields behind it',
      [
        BEGIN,
        'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a,task_memcg=/a/b,task=x,pid=1,uid=0,pid=77,uid=5',
      ],
      [{ victimCgroup: '/a', process: 'x,pid=1,uid=0', pid: 77 }],
    ],
    [
      'a name with brackets and spaces',
      [BEGIN, 'Out of memory: Killed process 9 (a) (b c) total-vm:1kB, anon-rss:1kB'],
      [{ victimCgroup: '/', process: 'a) (b c', pid: 9 }],
    ],
    [
      'two reports in a row',
      [BEGIN, 'Killed process 1 (a) x', BEGIN, 'Killed process 2 (b) x'],
      [
        { victimCgroup: '/', process: 'a', pid: 1 },
        { victimCgroup: '/', process: 'b', pid: 2 },
      ],
    ],
  ];
  for (const [what, lines, expected] of rows) it(what, () => assert.deepEqual(read(lines), expected));
});

describe('renderSystemOom', () => {
  it('names the victim where it is known', () => {
    const kill = { victimCgroup: '/', process: 'a', pid: 7 };
    assert.equal(renderSystemOom(kill), 'System OOM encountered, victim process: a, pid: 7');
    assert.equal(renderSystemOom({ ...kill, process: '' }), 'System OOM encountered');
  });

  it('is silent about the limit of a cgroup', () => {
    assert.equal(renderSystemOom({ victimCgroup: '/a', process: 'a', pid: 7 }), undefined);
  });
});
