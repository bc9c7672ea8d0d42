import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useCliKubelet } from '../../../test/fakes/cli-kubelet.ts';

describe('the node on the command line', () => {
  const kubelet = useCliKubelet();

  it('shows the machine as a map, with owners', async () => {
    for (const words of ['get resources', 'resources']) {
      const { out, err } = await kubelet.run(words);
      assert.equal(
        out,
        [
          'NUMA NODE   RESOURCE          AMOUNT    OWNER',
          '0           cpu               0         reserved, shared',
          '0           cpu               1,5       default/web-n1 main',
          '0           memory            1.0 GiB   shared',
          '0           example.com/gpu   gpu0      free',
          '',
        ].join('\n'),
      );
      assert.equal(err, 'CPU policy static, memory policy None, topology policy none.\n');
    }
    assert.equal(JSON.parse((await kubelet.run('get resources -o json')).out).cpuPolicy, 'static');
  });

  it('config diff shows what is not in force and what it waits for', async () => {
    kubelet.configuration = {
      sources: ['/c'],
      problems: [],
      differences: [
        { field: 'maxPods', running: 10, inFiles: 20, takes: 'reload' },
        { field: 'evictionHard', running: {}, inFiles: undefined, takes: 'restart', because: 'x' },
      ],
    };
    const { out, err } = await kubelet.run('config diff');
    assert.equal(
      out,
      [
        'FIELD          RUNNING   FILES   TAKES',
        'maxPods        10        20      reload',
        'evictionHard   {}        -       restart: x',
        '',
      ].join('\n'),
    );
    assert.equal(err, 'SIGHUP makes the kubelet reload 1 of 2.\n');
    assert.equal(JSON.parse((await kubelet.run('config diff -o json')).out).sources[0], '/c');
    kubelet.configuration = { sources: ['/c'], problems: [], differences: [] };
    assert.match((await kubelet.run('config diff')).err, /^What is in force is what is in \/c\.$/m);
    kubelet.configuration = { sources: ['/c'], problems: ['bad port'], differences: [] };
    const refused = await kubelet.run('config diff');
    assert.match(refused.err, /^error: bad port$/m);
    assert.equal(refused.code, 1);
    assert.match((await kubelet.run('config view')).err, /only diff/);
  });

  it('prints the address of the page, or why there is none', async () => {
    assert.deepEqual(await kubelet.run('page'), { code: 1, out: '', err: 'error: the page is off\n' });
    kubelet.page = { address: 'http://127.0.0.1:4194/?token=x' };
    assert.deepEqual(await kubelet.run('page'), {
      code: 0,
      out: 'http://127.0.0.1:4194/?token=x\n',
      err: '',
    });
  });
});
