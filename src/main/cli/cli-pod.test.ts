import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useCliKubelet } from '../../../test/fakes/cli-kubelet.ts';

describe('one pod on the command line', () => {
  const kubelet = useCliKubelet();

  it('shows the life of a pod as a waterfall, in a pipe and in a terminal', async () => {
    const { code, out } = await kubelet.run('timeline web');
    assert.equal(code, 0);
    const rows = out.trimEnd().split('\n');
    assert.equal(rows[0], 'default/web-n1: seen 2026-01-02T03:04:00.000Z, ready after 2.50s');
    assert.match(rows[3] ?? '', /^\+1\.00s +image evil\^\[\[31m\\n +1\.00s +█+$/);
    assert.match(rows[5] ?? '', /^\+2\.50s +ready +◆$/);
    assert.ok(Math.max(...rows.slice(1).map(({ length }) => length)) > 80);
    const narrow = (await kubelet.run('timeline web', { columns: 60 })).out.trimEnd().split('\n');
    assert.ok(Math.max(...narrow.slice(1).map(({ length }) => length)) <= 60);
    const document = JSON.parse((await kubelet.run('timeline web -o json')).out) as { steps: unknown[] };
    assert.equal(document.steps.length, 4);
  });

  it('shows pods down to their processes, each on a line of its own', async () => {
    const [web] = kubelet.pods;
    assert.ok(web !== undefined);
    kubelet.pods = [{ ...web, metadata: { ...web.metadata, uid: 'abc' } }];
    const process = { podUid: 'abc', parentPid: 1, cgroup: '/kubepods/podabc/x' };
    kubelet.processes = [
      { ...process, pid: 5, containerId: 'f'.repeat(64), command: '/pause' },
      { ...process, pid: 7, containerId: 'main-1', command: 'sh\n\u001b[2J' },
      { ...process, pid: 8, parentPid: 7, containerId: 'main-1', command: 'sleep 5' },
      { ...process, pid: 9, podUid: 'other', containerId: 'x', command: 'no' },
    ];
    const expected = [
      'default/web-n1 (Running)',
      '├─ sandbox ffffffffffff',
      '│  ├─ cgroup /kubepods/podabc/x',
      '│  └─ process 5 /pause',
      '├─ container main main-1 (running)',
      '│  ├─ image',
      '│  ├─ cgroup /kubepods/podabc/x',
      '│  └─ process 7 sh\\n^[[2J',
      '│     └─ process 8 sleep 5',
      '└─ container side side-1 (running)',
      '   └─ image',
    ];
    assert.deepEqual(
      (await kubelet.run('tree web')).out.replaceAll(/ +$/gm, '').trimEnd().split('\n'),
      expected,
    );
    assert.equal((await kubelet.run('tree')).out, (await kubelet.run('tree web')).out);
    assert.equal((await kubelet.run('tree -n nowhere')).err, 'No resources found.\n');
  });

  it('restarts containers and ends back-offs', async () => {
    const ok = (out: string) => ({ code: 0, out, err: '' });
    assert.deepEqual(await kubelet.run('restart web'), ok('pod/web-n1: restarting containers main, side\n'));
    assert.deepEqual(await kubelet.run('restart web main'), ok('pod/web-n1: restarting container main\n'));
    assert.deepEqual(
      await kubelet.run('restart pod web'),
      ok('pod/web-n1: restarting containers main, side\n'),
    );
    assert.deepEqual(await kubelet.run('restart web -c main'), ok('pod/web-n1: restarting container main\n'));
    assert.deepEqual(await kubelet.run('restart web side'), {
      code: 1,
      out: '',
      err: 'error: no container runs\n',
    });
    assert.deepEqual(await kubelet.run('retry web'), ok('pod/web-n1: retrying main now\n'));
    assert.deepEqual(await kubelet.run('retry dns'), ok('pod/dns-n1: nothing waits for a retry\n'));
    assert.equal((await kubelet.run('retry nope')).code, 1);
  });

  it('prints logs of the container that is named, or says which it took', async () => {
    const { out, err } = await kubelet.run('logs web --tail 3 --timestamps');
    assert.equal(out, 'line of /logs/main-1\n');
    assert.equal(err, 'Defaulted container "main" out of: main, side\n');
    assert.deepEqual([kubelet.asked?.get('tailLines'), kubelet.asked?.get('timestamps')], ['3', 'true']);
    const named = await kubelet.run('logs web -c side');
    assert.deepEqual([named.out, named.err], ['line of /logs/side-1\n', '']);
    assert.match(
      (await kubelet.run('logs web -c nope')).err,
      /^error: container "nope" not found in pod "web-n1", which has: main, side\n$/,
    );
  });

  it('prints the logs of all containers, each line marked', async () => {
    const { code, out, err } = await kubelet.run('logs web --all-containers --prefix');
    assert.deepEqual([code, err], [0, '']);
    assert.equal(out, '[pod/web-n1/main] line of /logs/main-1\n[pod/web-n1/side] line of /logs/side-1\n');
    const none = await kubelet.run('logs web --all-containers -p');
    assert.deepEqual([none.code, none.out], [1, '']);
    assert.match(none.err, /^error: main: previous terminated container .*\nerror: side: /);
  });
});
