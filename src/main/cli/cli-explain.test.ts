import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useCliKubelet } from '../../../test/fakes/cli-kubelet.ts';
import { CLI_NOW_MS, cliPod } from '../../../test/samples/sample-cli-node.ts';

describe('explanations on the command line', () => {
  const kubelet = useCliKubelet();

  it('explains one pod, or all that are not ready', async () => {
    assert.equal((await kubelet.run('explain web')).out, 'Waiting for x.\n');
    assert.equal((await kubelet.run('explain')).out, 'default/web-n1: Waiting for x.\n');
    assert.equal((await kubelet.run('explain -n kube-system')).out, 'The only pod is ready.\n');
    const data = JSON.parse((await kubelet.run('explain web -o json')).out) as object;
    assert.deepEqual(data, {
      namespace: 'default',
      name: 'web-n1',
      uid: 'uid-web',
      state: 'waiting',
      sentence: 'Waiting for x.',
      waitsFor: 'x',
      since: '2026-01-02T03:04:05Z',
      nextTryAt: '2026-01-02T03:04:10Z',
    });
  });

  it('shows rejected manifests as rows, first in explanations, and as events', async () => {
    const why = 'spec.containers[0].imag: unknown field (did you mean image?)';
    const secret = { kind: 'Secret', namespace: 'default', name: 'db' };
    kubelet.rejected = [
      {
        subject: { kind: 'Pod', namespace: 'default', name: 'bad-n1' },
        file: '/m/bad.yaml',
        line: 7,
        why,
        sinceMs: CLI_NOW_MS,
      },
      { subject: secret, file: '/m/s.yaml', line: 1, why: 'run "chmod 600"\u001b[2J', sinceMs: CLI_NOW_MS },
      { file: '/m/no.yaml', why: 'cannot read YAML', sinceMs: CLI_NOW_MS },
    ];
    const list = await kubelet.run('get pods');
    assert.match(list.out, /^bad-n1 +- +Rejected \(bad\.yaml:7\) +- +0s$/m);
    assert.match(list.out, /^secret\/db +- +Rejected \(s\.yaml:1\)/m);
    assert.match(list.out, /^no\.yaml +- +Rejected \(no\.yaml\)/m);
    assert.equal(list.err, "See 'kubelet explain' for why manifests were rejected.\n");
    assert.doesNotMatch((await kubelet.run('get pods -n kube-system')).out, /Rejected/);
    const [first, second, , fourth] = (await kubelet.run('explain')).out.split('\n');
    assert.equal(first, `default/bad-n1: Rejected (for 0s): /m/bad.yaml:7: ${why}`);
    assert.match(second ?? '', /^default\/secret\/db: .*chmod 600"\^\[\[2J$/);
    assert.equal(fourth, 'default/web-n1: Waiting for x.');
    for (const word of ['bad', 'bad-n1', 'bad.yaml'])
      assert.deepEqual(await kubelet.run(`explain ${word}`), { code: 0, out: `${first}\n`, err: '' });
    assert.equal((await kubelet.run('logs bad')).err, `error: ${first}\n`);
    assert.match((await kubelet.run('events')).out, /Warning +Rejected +pod\/bad-n1 +\/m\/bad\.yaml:7: spec/);
  });

  it('lists no pod that has completed, and counts in words', async () => {
    kubelet.pods = [cliPod('default', 'job'), cliPod('default', 'job2')];
    assert.equal((await kubelet.run('explain')).out, '2 have completed.\n');
    kubelet.pods = [cliPod('default', 'job'), cliPod('default', 'a'), cliPod('default', 'b')];
    assert.equal((await kubelet.run('explain')).out, 'All 2 pods are ready. 1 has completed.\n');
    assert.equal((await kubelet.run('explain job')).out, 'Ended as Succeeded.\n');
  });

  it('describes a pod with its explanation and its events', async () => {
    const { out } = await kubelet.run('describe pod web');
    assert.match(out, /^Explanation: +Waiting for x\.$/m);
    assert.match(out, /BackOff/);
    assert.match(out, /^Assigned: +main: CPUs 1,5 of node 0$/m);
    assert.doesNotMatch(out, /Starting/);
  });
});
