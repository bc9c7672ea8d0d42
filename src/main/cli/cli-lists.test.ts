import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useCliKubelet } from '../../../test/fakes/cli-kubelet.ts';
import { cliPod } from '../../../test/samples/sample-cli-node.ts';
import type { Pod } from '../../core/api/pod.ts';

describe('lists on the command line', () => {
  const kubelet = useCliKubelet();

  it('lists pods of a namespace, of all, and none', async () => {
    assert.deepEqual(await kubelet.run('get pods'), {
      code: 0,
      out: 'NAME     READY   STATUS    RESTARTS   AGE\nweb-n1   2/2     Running   0          60s\n',
      err: '',
    });
    assert.match(
      (await kubelet.run('get pods -A')).out,
      /^NAMESPACE +NAME .*\ndefault +web-n1 .*\nkube-system +dns-n1 /,
    );
    const none = await kubelet.run('get pods -n other');
    assert.deepEqual([none.code, none.err], [0, 'No resources found in other namespace.\n']);
    assert.equal((await kubelet.run('get pods -o name --no-headers')).out, 'pod/web-n1\n');
  });

  it('lists pods by their labels', async () => {
    const web = cliPod('default', 'web');
    kubelet.pods = [
      { ...web, metadata: { ...web.metadata, labels: { app: 'web' } } },
      cliPod('default', 'other'),
    ];
    assert.equal((await kubelet.run('get pods -l app=web -o name')).out, 'pod/web-n1\n');
    assert.equal((await kubelet.run('get pods -l !app -o name')).out, 'pod/other-n1\n');
    assert.equal((await kubelet.run('get pods -l app=(')).code, 2);
  });

  it('lists pods by templates', async () => {
    assert.equal(
      (await kubelet.run('get pods -A -o jsonpath={.items[*].metadata.name}')).out,
      'web-n1 dns-n1',
    );
    assert.equal((await kubelet.run('get pod web -o jsonpath={.metadata.uid}')).out, 'uid-web');
    assert.equal(
      (await kubelet.run('get po -o custom-columns=POD:.metadata.name,IP:.status.podIP')).out,
      'POD      IP\nweb-n1   <none>\n',
    );
  });

  it('prints documents', async () => {
    const list = JSON.parse((await kubelet.run('get pods -o json')).out) as { kind: string; items: Pod[] };
    assert.deepEqual([list.kind, list.items[0]?.kind, list.items.length], ['List', 'Pod', 1]);
    const one = JSON.parse((await kubelet.run('get pod dns -o json')).out) as Pod;
    assert.deepEqual([one.kind, one.metadata.name], ['Pod', 'dns-n1']);
    assert.match((await kubelet.run('explain web -o yaml')).out, /^since: "2026-01-02T03:04:05Z"$/m);
  });

  it('lists what pods use, and never what is in secrets', async () => {
    const [web] = kubelet.pods;
    assert.ok(web !== undefined);
    const volumes = [
      { name: 'conf', configMap: { name: 'settings' } },
      { name: 'key', secret: { secretName: 'tls' } },
    ];
    const containers = [
      {
        name: 'main',
        volumeMounts: [{ name: 'conf', mountPath: '/c' }],
        envFrom: [{ secretRef: { name: 'tokens' } }],
      },
    ];
    kubelet.pods = [{ ...web, spec: { ...web.spec, volumes, containers } }];
    assert.equal(
      (await kubelet.run('get volumes')).out,
      [
        'NAMESPACE   POD      NAME   KIND        CONTAINERS',
        'default     web-n1   conf   configMap   main',
        'default     web-n1   key    secret      <none>\n',
      ].join('\n'),
    );
    assert.equal((await kubelet.run('get cm -o name')).out, 'configmap/settings\n');
    assert.equal((await kubelet.run('get secrets --no-headers')).out, 'default   tokens   web-n1\n');
    assert.equal((await kubelet.run('get secrets -n other')).err, 'No resources found in other namespace.\n');
    assert.match((await kubelet.run('get nodes')).out, /^NAME .*\nn1 +1 +1000m +256Mi +v1\n$/);
    const nodes = JSON.parse((await kubelet.run('get nodes -o json')).out) as { items: { name: string }[] };
    assert.deepEqual(
      nodes.items.map(({ name }) => name),
      ['n1'],
    );
  });

  it('lists what pods use by their namespaces and labels, as it lists pods', async () => {
    const envFrom = [{ secretRef: { name: 'tokens' } }, { configMapRef: { name: 'settings' } }];
    const using = (namespace: string, name: string): Pod => {
      const { metadata, ...rest } = cliPod(namespace, name);
      const spec = { containers: [{ name: 'main', envFrom }], volumes: [{ name: 'data', emptyDir: {} }] };
      return { ...rest, metadata: { ...metadata, labels: { app: name } }, spec };
    };
    kubelet.pods = [using('default', 'web'), using('default', 'other'), using('kube-system', 'dns')];
    const expected = [
      ['', ['other-n1', 'web-n1']],
      ['-A', ['dns-n1', 'other-n1', 'web-n1']],
      ['-n kube-system', ['dns-n1']],
      ['-l app=web', ['web-n1']],
      ['-A -l app!=web', ['dns-n1', 'other-n1']],
    ] as const;
    for (const kind of ['volumes', 'configmaps', 'secrets']) {
      for (const [flags, users] of expected) {
        const { out } = await kubelet.run(`get ${kind} ${flags}`.trimEnd());
        assert.deepEqual((out.match(/[a-z]+-n1/g) ?? []).toSorted(), users, `${kind} ${flags}`);
      }
      assert.equal(
        (await kubelet.run(`get ${kind} -l app=dns`)).err,
        'No resources found in default namespace.\n',
      );
      assert.equal((await kubelet.run(`get ${kind} -A -l app=no`)).err, 'No resources found.\n');
    }
  });

  it('lists events, of all and of one pod', async () => {
    assert.match((await kubelet.run('events')).out, /BackOff +pod\/web-n1[\s\S]*Starting +node\/n1/);
    const one = await kubelet.run('events web');
    assert.match(one.out, /^LAST SEEN +TYPE .*\n5s +Warning +BackOff/);
    assert.doesNotMatch(one.out, /Starting/);
    assert.equal((await kubelet.run('events dns')).err, 'No events found.\n');
  });
});
