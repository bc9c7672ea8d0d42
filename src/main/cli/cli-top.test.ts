import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useCliKubelet } from '../../../test/fakes/cli-kubelet.ts';
import { cliHistory } from '../../../test/samples/sample-cli-node.ts';

describe('top', () => {
  const kubelet = useCliKubelet();

  it('shows what pods, containers and the node use', async () => {
    const [pods_, sorted, containers, node] = [
      await kubelet.run('top pods'),
      await kubelet.run('top pods --sort-by=memory --no-headers'),
      await kubelet.run('top containers'),
      await kubelet.run('top node -o wide'),
    ];
    assert.deepEqual(pods_.out.split('\n'), [
      'NAMESPACE     NAME     CPU(cores)   MEMORY(bytes)',
      'default       web-n1   <unknown>    10Mi',
      'kube-system   dns-n1   5m           90Mi',
      '',
    ]);
    assert.match(sorted.out, /^kube-system .*\ndefault /);
    assert.match(containers.out, /\nkube-system +dns-n1 +main +5m +80Mi\n$/);
    assert.deepEqual(node.out.split('\n'), [
      'NAME   CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)   CPU(15m)   MEMORY(15m)',
      'n1     1000m        25%      256Mi           25%         ▅█         ▁█',
      '',
    ]);
  });

  it('shows one pod, documents with the past, and says what it cannot show', async () => {
    assert.match((await kubelet.run('top pod web')).out, /\ndefault +web-n1 .*\n$/);
    const { pods: shown, historyMs, node } = JSON.parse((await kubelet.run('top pods dns -o json')).out);
    assert.deepEqual([shown.length, shown[0].cpuNanoCores, historyMs], [1, 5e6, cliHistory.atMs]);
    assert.deepEqual(node.history.cpuNanoCores, [5e8, 1e9]);
    assert.deepEqual(await kubelet.run('top pods none'), {
      code: 1,
      out: '',
      err: 'error: no pod "none" runs here\n',
    });
    for (const [line, problem] of [
      ['top', 'name what to show: pods, containers or node'],
      ['top volumes', 'only pods, containers and the node can be shown, not "volumes"'],
      ['top pods --sort-by=age', 'unknown order "age": want cpu or memory'],
    ] as const)
      assert.match((await kubelet.run(line)).err, new RegExp(`^error: ${problem}\n`));
  });

  it('looks again until the user wants no more', async () => {
    const stop = new AbortController();
    const { code, out } = await kubelet.run('top node -w', {
      signal: stop.signal,
      onOutput: () => stop.abort(),
    });
    assert.equal(code, 0);
    assert.match(out, /^NAME .*\nn1 .*\n$/);
  });
});
