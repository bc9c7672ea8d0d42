import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { instance } from '../../../test/samples/sample-pods.ts';
import type { PodProcess } from '../../adapters/linux/machine/list-pod-processes.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { RememberedEvent } from '../../core/events/remembered-event.ts';
import { toContainerId } from '../../core/model/ids.ts';
import { withDeletion } from '../../core/status/with-deletion.ts';
import type { ConfigurationReport } from '../../ports/host/configuration-report.ts';
import type { UsageReading } from '../../ports/host/node-statistics.ts';
import { createLocalServer } from '../../server/local-server.ts';
import type { PageAddress } from '../../server/page/page-server.ts';
import type { RejectedListing } from '../../server/pods/rejected-list.ts';
import { toLocalSocket } from '../config/local-socket.ts';
import { runCli } from './run-cli.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const pod = (namespace: string, name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `${name}-n1`,
    namespace,
    uid: `uid-${name}`,
    annotations: { 'kubernetes.io/config.source': 'file' },
  },
  spec: { nodeName: 'n1', containers: [{ name: 'main' }, { name: 'side' }] },
  status: {
    phase: 'Running',
    startTime: new Date(NOW - 60_000).toISOString(),
    containerStatuses: ['main', 'side'].map((container) => ({
      name: container,
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      lastState: {},
      ready: true,
      restartCount: 0,
      image: '',
      imageID: '',
      containerID: `containerd://${container}-1`,
    })),
  },
});

const time = new Date(NOW).toISOString();
const used = (usageNanoCores: number, workingSetBytes: number) => ({
  cpu: { time, usageNanoCores },
  memory: { time, workingSetBytes },
});
const usage: UsageReading = {
  atMs: NOW,
  summary: {
    node: {
      nodeName: 'n1',
      startTime: time,
      cpu: { time, usageNanoCores: 1e9 },
      memory: { time, workingSetBytes: 256 * 1024 ** 2, availableBytes: 768 * 1024 ** 2 },
    },
    pods: [
      {
        podRef: { namespace: 'kube-system', name: 'dns-n1', uid: 'uid-dns' },
        startTime: time,
        ...used(5e6, 90 * 1024 ** 2),
        containers: [{ name: 'main', startTime: time, ...used(5e6, 80 * 1024 ** 2) }],
      },
      {
        podRef: { namespace: 'default', name: 'web-n1', uid: 'uid-web' },
        startTime: time,
        memory: { time, workingSetBytes: 10 * 1024 ** 2 },
        containers: [],
      },
    ],
  },
};
const past = {
  atMs: [NOW - 10_000, NOW],
  of: (uid?: string) => ({
    cpuNanoCores: uid === undefined ? [5e8, 1e9] : [null, null],
    memoryBytes: [0, 1],
  }),
};

describe('runCli', () => {
  let rootDir: string;
  let pods: Pod[] = [];
  let changed: () => void = () => {};
  const events: RememberedEvent[] = [
    {
      object: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web-n1', uid: 'uid-web' },
      type: 'Warning',
      reason: 'BackOff',
      message: 'Back-off',
      count: 1,
      firstAtMs: NOW - 5_000,
      lastAtMs: NOW - 5_000,
    },
    {
      object: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
      type: 'Normal',
      reason: 'Starting',
      message: 'x',
      count: 1,
      firstAtMs: NOW - 5_000,
      lastAtMs: NOW - 5_000,
    },
  ];
  let rejected: ReturnType<RejectedListing['list']> = [];
  let page: PageAddress = { problem: 'the page is off' };
  let processes: PodProcess[] = [];
  let asked: URLSearchParams | undefined;
  let configuration: ConfigurationReport;
  let server: ReturnType<typeof createLocalServer>;

  before(async () => {
    rootDir = await mkdtemp(join(tmpdir(), 'kts-'));
    const quiet = silentLogger;
    server = createLocalServer(toLocalSocket(rootDir), {
      nodeName: 'n1',
      page: () => page,
      node: {
        about: { version: 'v1', manifests: '/etc/manifests' },
        evictor: undefined,
        resources: {
          report: () => ({
            cpuPolicy: 'static',
            memoryPolicy: 'None',
            topologyPolicy: 'none',
            nodes: [
              {
                id: 0,
                sockets: [0],
                cpus: [
                  { cpus: '0', owner: 'reserved, shared' },
                  { cpus: '1,5', owner: 'default/web-n1 main' },
                ],
                memory: [{ type: 'memory', bytes: 2 ** 30, owner: 'shared' }],
              },
            ],
            devices: [{ resource: 'example.com/gpu', id: 'gpu0', numaNodes: [0], owner: 'free' }],
          }),
        },
        configuration: { report: async () => configuration },
        images: {
          report: async () => ({ images: [], fileSystem: undefined, space: undefined, wouldRemove: [] }),
        },
        statistics: { read: () => assert.fail(), readUsage: async () => usage, history: () => past },
        cores: 4,
      },
      pods: {
        listPods: () => pods,
        statusOf: () => undefined,
        onChange: (listener) => {
          changed = listener;
          return { [Symbol.dispose]: () => {} };
        },
        operate: {
          retry: ({ metadata }) => ({ ok: true, subjects: metadata.name === 'web-n1' ? ['main'] : [] }),
          restart: (_, container) =>
            container === 'side'
              ? { ok: false, problem: 'no container runs' }
              : { ok: true, subjects: container === undefined ? ['main', 'side'] : [container] },
        },
        timeline: () => ({
          seenAtMs: NOW - 5_000,
          steps: [
            { what: 'admission', startMs: NOW - 5_000, endMs: NOW - 4_999 },
            { what: 'image', about: 'evil\u001b[31m\n', startMs: NOW - 4_000, endMs: NOW - 3_000 },
            { what: 'start', about: 'main', startMs: NOW - 3_000, endMs: NOW - 2_500 },
            { what: 'ready', startMs: NOW - 2_500, endMs: NOW - 2_500 },
          ],
          leftOut: 0,
        }),
        rejected: { list: () => rejected, subscribe: () => ({ [Symbol.dispose]: () => {} }) },
      },
      explain: ({ metadata }) =>
        metadata.name.startsWith('job')
          ? { state: 'ended', waitsFor: 'as Succeeded', sentence: 'Ended as Succeeded.' }
          : {
              state: metadata.name === 'web-n1' ? 'waiting' : 'ready',
              sentence: metadata.name === 'web-n1' ? 'Waiting for x.' : 'Ready.',
              waitsFor: 'x',
              sinceMs: NOW,
              nextTryAtMs: NOW + 5_000,
            },
      events: { list: () => events, subscribe: () => ({ [Symbol.dispose]: () => {} }) },
      containers: {
        logs: {
          runtime: {
            containerStatus: async (id) =>
              instance('main', 'running', { id, details: { logPath: `/logs/${id}` } }),
          },
          logs: {
            read: async (path, query, sink) => {
              asked = new URLSearchParams(JSON.parse(JSON.stringify(query)) as Record<string, string>);
              await sink.write(Buffer.from(`line of ${path}\n`));
            },
          },
          splitStreams: true,
        },
        streaming: {
          reader: {
            listContainers: async () => [instance('main', 'running', { id: toContainerId('main-1') })],
            listSandboxes: async () => [],
          } as never,
          streaming: {} as never,
          idleTimeoutMs: 1_000,
          translateWebSockets: true,
        },
      },
      kit: { clock: new FakeClock(), logger: quiet },
    });
    await server.start();
  });
  after(async () => {
    await server.stop();
    await rm(rootDir, { recursive: true });
  });
  beforeEach(() => {
    pods = [pod('default', 'web'), pod('kube-system', 'dns')];
    rejected = [];
  });

  async function run(
    text: string,
    signal = new AbortController().signal,
    onOutput = (_: string): void => {},
    columns?: number,
  ) {
    const [stdout, stderr] = [Object.assign(new PassThrough(), columns && { columns }), new PassThrough()];
    let [out, err] = ['', ''];
    stdout.on('data', (chunk) => {
      out += chunk;
      onOutput(out);
    });
    stderr.on('data', (chunk) => {
      err += chunk;
    });
    const host = {
      stdin: new PassThrough(),
      stdout,
      stderr,
      now: () => NOW,
      signal,
      env: {},
      findRunning: async () => [rootDir],
      listProcesses: async () => processes,
    };
    const [verb = '', ...words] = text.split(' ');
    const code = await runCli([verb, `--root-dir=${rootDir}`, ...words], host);
    await new Promise((resolve) => setImmediate(resolve));
    return { code, out, err };
  }

  it('prints completions and the manual page without asking a kubelet', async () => {
    const bash = await run('completion bash --socket=/nowhere');
    assert.deepEqual([bash.code, bash.err], [0, '']);
    assert.match(bash.out, /^complete .*-F _kubelet kubelet$/m);
    assert.match((await run('man')).out, /^\.TH KUBELET 1 /);
  });

  it('shows the life of a pod as a waterfall, in a pipe and in a terminal', async () => {
    const { code, out } = await run('timeline web');
    assert.equal(code, 0);
    const rows = out.trimEnd().split('\n');
    assert.equal(rows[0], 'default/web-n1: seen 2026-01-02T03:04:00.000Z, ready after 2.50s');
    assert.match(rows[3] ?? '', /^\+1\.00s +image evil\^\[\[31m\\n +1\.00s +█+$/);
    assert.match(rows[5] ?? '', /^\+2\.50s +ready +◆$/);
    assert.ok(Math.max(...rows.slice(1).map(({ length }) => length)) > 80);
    const narrow = (await run('timeline web', undefined, undefined, 60)).out.trimEnd().split('\n');
    assert.ok(Math.max(...narrow.slice(1).map(({ length }) => length)) <= 60);
    const document = JSON.parse((await run('timeline web -o json')).out) as { steps: unknown[] };
    assert.equal(document.steps.length, 4);
  });

  it('shows pods down to their processes, each on a line of its own', async () => {
    const [web] = pods;
    assert.ok(web !== undefined);
    pods = [{ ...web, metadata: { ...web.metadata, uid: 'abc' } }];
    const process = { podUid: 'abc', parentPid: 1, cgroup: '/kubepods/podabc/x' };
    processes = [
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
    assert.deepEqual((await run('tree web')).out.replaceAll(/ +$/gm, '').trimEnd().split('\n'), expected);
    assert.equal((await run('tree')).out, (await run('tree web')).out);
    assert.equal((await run('tree -n nowhere')).err, 'No resources found.\n');
  });

  it('lists pods by templates', async () => {
    assert.equal((await run('get pods -A -o jsonpath={.items[*].metadata.name}')).out, 'web-n1 dns-n1');
    assert.equal((await run('get pod web -o jsonpath={.metadata.uid}')).out, 'uid-web');
    assert.equal(
      (await run('get po -o custom-columns=POD:.metadata.name,IP:.status.podIP')).out,
      'POD      IP\nweb-n1   <none>\n',
    );
  });

  it('lists what pods use, and never what is in secrets', async () => {
    const [web] = pods;
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
    pods = [{ ...web, spec: { ...web.spec, volumes, containers } }];
    assert.equal(
      (await run('get volumes')).out,
      [
        'NAMESPACE   POD      NAME   KIND        CONTAINERS',
        'default     web-n1   conf   configMap   main',
        'default     web-n1   key    secret      <none>\n',
      ].join('\n'),
    );
    assert.equal((await run('get cm -o name')).out, 'configmap/settings\n');
    assert.equal((await run('get secrets --no-headers')).out, 'default   tokens   web-n1\n');
    assert.equal((await run('get secrets -n other')).err, 'No resources found in other namespace.\n');
    assert.match((await run('get nodes')).out, /^NAME .*\nn1 +1 +1000m +256Mi +v1\n$/);
    const nodes = JSON.parse((await run('get nodes -o json')).out) as { items: { name: string }[] };
    assert.deepEqual(
      nodes.items.map(({ name }) => name),
      ['n1'],
    );
  });

  it('lists what pods use by their namespaces and labels, as it lists pods', async () => {
    const envFrom = [{ secretRef: { name: 'tokens' } }, { configMapRef: { name: 'settings' } }];
    const using = (namespace: string, name: string): Pod => {
      const { metadata, ...rest } = pod(namespace, name);
      const spec = { containers: [{ name: 'main', envFrom }], volumes: [{ name: 'data', emptyDir: {} }] };
      return { ...rest, metadata: { ...metadata, labels: { app: name } }, spec };
    };
    pods = [using('default', 'web'), using('default', 'other'), using('kube-system', 'dns')];
    const expected = [
      ['', ['other-n1', 'web-n1']],
      ['-A', ['dns-n1', 'other-n1', 'web-n1']],
      ['-n kube-system', ['dns-n1']],
      ['-l app=web', ['web-n1']],
      ['-A -l app!=web', ['dns-n1', 'other-n1']],
    ] as const;
    for (const kind of ['volumes', 'configmaps', 'secrets']) {
      for (const [flags, users] of expected) {
        const { out } = await run(`get ${kind} ${flags}`.trimEnd());
        assert.deepEqual((out.match(/[a-z]+-n1/g) ?? []).toSorted(), users, `${kind} ${flags}`);
      }
      assert.equal((await run(`get ${kind} -l app=dns`)).err, 'No resources found in default namespace.\n');
      assert.equal((await run(`get ${kind} -A -l app=no`)).err, 'No resources found.\n');
    }
  });

  it('restarts containers and ends back-offs', async () => {
    const ok = (out: string) => ({ code: 0, out, err: '' });
    assert.deepEqual(await run('restart web'), ok('pod/web-n1: restarting containers main, side\n'));
    assert.deepEqual(await run('restart web main'), ok('pod/web-n1: restarting container main\n'));
    assert.deepEqual(await run('restart pod web'), ok('pod/web-n1: restarting containers main, side\n'));
    assert.deepEqual(await run('restart web -c main'), ok('pod/web-n1: restarting container main\n'));
    assert.deepEqual(await run('restart web side'), { code: 1, out: '', err: 'error: no container runs\n' });
    assert.deepEqual(await run('retry web'), ok('pod/web-n1: retrying main now\n'));
    assert.deepEqual(await run('retry dns'), ok('pod/dns-n1: nothing waits for a retry\n'));
    assert.equal((await run('retry nope')).code, 1);
  });

  it('leaves words that are no sub-command to the agent', async () => {
    assert.equal((await run('walk')).code, undefined);
  });

  it('lists pods of a namespace, of all, and none', async () => {
    assert.deepEqual(await run('get pods'), {
      code: 0,
      out: 'NAME     READY   STATUS    RESTARTS   AGE\nweb-n1   2/2     Running   0          60s\n',
      err: '',
    });
    assert.match(
      (await run('get pods -A')).out,
      /^NAMESPACE +NAME .*\ndefault +web-n1 .*\nkube-system +dns-n1 /,
    );
    const none = await run('get pods -n other');
    assert.deepEqual([none.code, none.err], [0, 'No resources found in other namespace.\n']);
    assert.equal((await run('get pods -o name --no-headers')).out, 'pod/web-n1\n');
  });

  it('lists pods by their labels', async () => {
    const web = pod('default', 'web');
    pods = [{ ...web, metadata: { ...web.metadata, labels: { app: 'web' } } }, pod('default', 'other')];
    assert.equal((await run('get pods -l app=web -o name')).out, 'pod/web-n1\n');
    assert.equal((await run('get pods -l !app -o name')).out, 'pod/other-n1\n');
    assert.equal((await run('get pods -l app=(')).code, 2);
  });

  it('prints documents', async () => {
    const list = JSON.parse((await run('get pods -o json')).out) as { kind: string; items: Pod[] };
    assert.deepEqual([list.kind, list.items[0]?.kind, list.items.length], ['List', 'Pod', 1]);
    const one = JSON.parse((await run('get pod dns -o json')).out) as Pod;
    assert.deepEqual([one.kind, one.metadata.name], ['Pod', 'dns-n1']);
    assert.match((await run('explain web -o yaml')).out, /^since: "2026-01-02T03:04:05Z"$/m);
  });

  it('follows changes until it is stopped', async () => {
    const stop = new AbortController();
    let seen = 0;
    const { code, out } = await run('get pods -w', stop.signal, (text) => {
      if (seen === 0 && text.includes('web-n1')) {
        seen = 1;
        pods = [];
        changed();
      }
      if (text.includes('Deleted')) stop.abort();
    });
    assert.equal(code, 0);
    assert.match(out, /^NAME +READY .*\nweb-n1 +2\/2 +Running .*\nweb-n1 +2\/2 +Deleted /);
  });

  it('keeps the columns of a watch in place and shows when a deletion begins', async () => {
    const long = pod('default', 'a-name-that-is-longer-than-most-names-of-pods');
    pods = [pod('default', 'web'), long];
    const stop = new AbortController();
    let seen = 0;
    const { out } = await run('get pods -w', stop.signal, (text) => {
      if (seen === 0 && text.split('\n').length === 4) {
        seen = 1;
        pods = [
          withDeletion(pod('default', 'web'), { cause: 'removed', requestedAtMs: NOW, graceSeconds: 30 }),
          long,
        ];
        changed();
      }
      if (text.includes('Terminating')) stop.abort();
    });
    const rows = out.trimEnd().split('\n');
    assert.match(rows[3] ?? '', /^web-n1 +2\/2 +Terminating +0 +60s$/);
    const columns = rows.map((row) => row.search(/READY|2\/2/));
    assert.equal(new Set(columns).size, 1, out);
  });

  it('takes a UID, and after an edit the new pod', async () => {
    const old = pod('default', 'web');
    const going = withDeletion(
      { ...old, metadata: { ...old.metadata, uid: 'uid-old' } },
      { cause: 'removed', requestedAtMs: NOW },
    );
    pods = [pod('default', 'web'), going];
    const uidOf = async (name: string): Promise<string> =>
      (JSON.parse((await run(`explain ${name} -o json`)).out) as { uid: string }).uid;
    assert.equal(await uidOf('web'), 'uid-web');
    assert.equal(await uidOf('uid-old'), 'uid-old');
    assert.equal((await run('logs web -c main')).out, 'line of /logs/main-1\n');
  });

  it('parts the documents of a watch', async () => {
    pods = [pod('default', 'a'), pod('default', 'b')];
    const stop = new AbortController();
    const { out } = await run('get pods -w -o yaml', stop.signal, (text) => {
      if (text.includes('uid-b')) stop.abort();
    });
    assert.equal(out.match(/^---\napiVersion: v1$/gm)?.length, 2);
  });

  it('reports when the agent ends a watch, and prints no titles when the kubelet does not run', async () => {
    const other = await mkdtemp(join(tmpdir(), 'kts-'));
    const socketPath = join(other, 'k.sock');
    const brief = createServer(
      ({ url }, response) => void response.end(url?.includes('watch') ? '' : '{"items":[]}'),
    ).listen(socketPath);
    await once(brief, 'listening');
    for (const text of ['get pods -w', 'events -w']) {
      const { code, out, err } = await run(`${text} --socket ${socketPath}`);
      assert.deepEqual([code, err], [1, 'error: the kubelet has ended the watch: it stops or restarts\n']);
      assert.match(out, /^[A-Z ]+\n$/);
      const none = await run(`${text} --socket ${socketPath}.not`);
      assert.deepEqual([none.code, none.out], [1, '']);
    }
    await new Promise((resolve) => brief.close(resolve));
    await rm(other, { recursive: true });
  });

  it('explains one pod, or all that are not ready', async () => {
    assert.equal((await run('explain web')).out, 'Waiting for x.\n');
    assert.equal((await run('explain')).out, 'default/web-n1: Waiting for x.\n');
    assert.equal((await run('explain -n kube-system')).out, 'The only pod is ready.\n');
    const data = JSON.parse((await run('explain web -o json')).out) as object;
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
    rejected = [
      {
        subject: { kind: 'Pod', namespace: 'default', name: 'bad-n1' },
        file: '/m/bad.yaml',
        line: 7,
        why,
        sinceMs: NOW,
      },
      { subject: secret, file: '/m/s.yaml', line: 1, why: 'run "chmod 600"\u001b[2J', sinceMs: NOW },
      { file: '/m/no.yaml', why: 'cannot read YAML', sinceMs: NOW },
    ];
    const list = await run('get pods');
    assert.match(list.out, /^bad-n1 +- +Rejected \(bad\.yaml:7\) +- +0s$/m);
    assert.match(list.out, /^secret\/db +- +Rejected \(s\.yaml:1\)/m);
    assert.match(list.out, /^no\.yaml +- +Rejected \(no\.yaml\)/m);
    assert.equal(list.err, "See 'kubelet explain' for why manifests were rejected.\n");
    assert.doesNotMatch((await run('get pods -n kube-system')).out, /Rejected/);
    const [first, second, , fourth] = (await run('explain')).out.split('\n');
    assert.equal(first, `default/bad-n1: Rejected (for 0s): /m/bad.yaml:7: ${why}`);
    assert.match(second ?? '', /^default\/secret\/db: .*chmod 600"\^\[\[2J$/);
    assert.equal(fourth, 'default/web-n1: Waiting for x.');
    for (const word of ['bad', 'bad-n1', 'bad.yaml'])
      assert.deepEqual(await run(`explain ${word}`), { code: 0, out: `${first}\n`, err: '' });
    assert.equal((await run('logs bad')).err, `error: ${first}\n`);
    assert.match((await run('events')).out, /Warning +Rejected +pod\/bad-n1 +\/m\/bad\.yaml:7: spec/);
  });

  it('lists no pod that has completed, and counts in words', async () => {
    pods = [pod('default', 'job'), pod('default', 'job2')];
    assert.equal((await run('explain')).out, '2 have completed.\n');
    pods = [pod('default', 'job'), pod('default', 'a'), pod('default', 'b')];
    assert.equal((await run('explain')).out, 'All 2 pods are ready. 1 has completed.\n');
    assert.equal((await run('explain job')).out, 'Ended as Succeeded.\n');
  });

  it('describes a pod with its explanation and its events', async () => {
    const { out } = await run('describe pod web');
    assert.match(out, /^Explanation: +Waiting for x\.$/m);
    assert.match(out, /BackOff/);
    assert.match(out, /^Assigned: +main: CPUs 1,5 of node 0$/m);
    assert.doesNotMatch(out, /Starting/);
  });

  it('shows the machine as a map, with owners', async () => {
    for (const words of ['get resources', 'resources']) {
      const { out, err } = await run(words);
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
    assert.equal(JSON.parse((await run('get resources -o json')).out).cpuPolicy, 'static');
  });

  it('config diff shows what is not in force and what it waits for', async () => {
    configuration = {
      sources: ['/c'],
      problems: [],
      differences: [
        { field: 'maxPods', running: 10, inFiles: 20, takes: 'reload' },
        { field: 'evictionHard', running: {}, inFiles: undefined, takes: 'restart', because: 'x' },
      ],
    };
    const { out, err } = await run('config diff');
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
    assert.equal(JSON.parse((await run('config diff -o json')).out).sources[0], '/c');
    configuration = { sources: ['/c'], problems: [], differences: [] };
    assert.match((await run('config diff')).err, /^What is in force is what is in \/c\.$/m);
    configuration = { sources: ['/c'], problems: ['bad port'], differences: [] };
    const refused = await run('config diff');
    assert.match(refused.err, /^error: bad port$/m);
    assert.equal(refused.code, 1);
    assert.match((await run('config view')).err, /only diff/);
  });

  it('lists events, of all and of one pod', async () => {
    assert.match((await run('events')).out, /BackOff +pod\/web-n1[\s\S]*Starting +node\/n1/);
    const one = await run('events web');
    assert.match(one.out, /^LAST SEEN +TYPE .*\n5s +Warning +BackOff/);
    assert.doesNotMatch(one.out, /Starting/);
    assert.equal((await run('events dns')).err, 'No events found.\n');
  });

  it('prints logs of the container that is named, or says which it took', async () => {
    const { out, err } = await run('logs web --tail 3 --timestamps');
    assert.equal(out, 'line of /logs/main-1\n');
    assert.equal(err, 'Defaulted container "main" out of: main, side\n');
    assert.deepEqual([asked?.get('tailLines'), asked?.get('timestamps')], ['3', 'true']);
    const named = await run('logs web -c side');
    assert.deepEqual([named.out, named.err], ['line of /logs/side-1\n', '']);
    assert.match(
      (await run('logs web -c nope')).err,
      /^error: container "nope" not found in pod "web-n1", which has: main, side\n$/,
    );
  });

  it('prints the logs of all containers, each line marked', async () => {
    const { code, out, err } = await run('logs web --all-containers --prefix');
    assert.deepEqual([code, err], [0, '']);
    assert.equal(out, '[pod/web-n1/main] line of /logs/main-1\n[pod/web-n1/side] line of /logs/side-1\n');
    const none = await run('logs web --all-containers -p');
    assert.deepEqual([none.code, none.out], [1, '']);
    assert.match(none.err, /^error: main: previous terminated container .*\nerror: side: /);
  });

  it('validates manifests without a kubelet', async () => {
    const good = join(rootDir, 'good.yaml');
    const bad = join(rootDir, 'bad.yaml');
    const manifest = (field: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: a, ${field}: x }] }\n`;
    await writeFile(good, manifest('image'));
    await writeFile(bad, manifest('imag'));
    assert.deepEqual(await run(`validate -f ${good}`), {
      code: 0,
      out: `${good}: Pod default/web is valid\n`,
      err: '',
    });
    const both = await run(`validate ${good} ${bad} ${bad}.not`);
    assert.equal(both.code, 1);
    assert.match(both.err, /bad\.yaml:4: spec\.containers\[0\]\.imag: unknown field[\s\S]*bad\.yaml\.not: /);
    assert.equal((await run('validate')).code, 2);
  });

  it('passes on what the agent refuses', async () => {
    const { code, err } = await run('logs web -c main -p');
    assert.equal(code, 1);
    assert.match(err, /^error: previous terminated container "main" in pod "web-n1" not found\n$/);
    const exec = await run('exec web -c side -- ls');
    assert.equal(exec.code, 1);
    assert.match(exec.err, /^error: container not found \("side"\)\n$/);
  });

  it('guesses which pod was meant', async () => {
    assert.equal(
      (await run('logs wib')).err,
      'error: pods "wib" not found on this node (did you mean web?)\n',
    );
    assert.match((await run('logs dns-n2')).err, /\(did you mean dns-n1\?\)/);
  });

  it('fails with 1 for a pod that is not there and with 2 for a command line that is none', async () => {
    assert.deepEqual(await run('explain nope'), {
      code: 1,
      out: '',
      err: 'error: pods "nope" not found on this node\n',
    });
    assert.deepEqual(await run('get services'), {
      code: 2,
      out: '',
      err: `error: only pods, events, resources, images, volumes, nodes, configmaps and secrets can be listed, not "services"\nSee 'kubelet get --help' for usage.\n`,
    });
    assert.equal((await run('port-forward web http')).code, 2);
  });

  it('names the socket when no kubelet listens', async () => {
    const { code, err } = await run('get pods --socket /nonexistent/kubelet.sock');
    assert.equal(code, 1);
    assert.match(err, /^error: no kubelet listens on "\/nonexistent\/kubelet\.sock": is the kubelet running/);
  });

  it('takes flags before the verb, the environment, and the only kubelet that runs', async () => {
    const stdout = new PassThrough();
    const stdin = new PassThrough();
    const base = { stdin, stdout, stderr: stdout, now: () => NOW, signal: new AbortController().signal };
    const none = { ...base, env: {}, findRunning: async () => [], listProcesses: async () => [] };
    assert.equal(await runCli(['--root-dir', rootDir, 'get', 'pods'], none), 0);
    assert.equal(await runCli(['get', 'pods'], { ...none, env: { KUBELET_ROOT_DIR: rootDir } }), 0);
    assert.equal(await runCli(['get', 'pods'], { ...none, findRunning: async () => [rootDir] }), 0);
    assert.equal(await runCli(['get', 'pods'], { ...none, findRunning: async () => ['/a', '/b'] }), 1);
  });

  it('answers words of kubectl with what to do instead', async () => {
    const apply = await run('apply -f web.yaml');
    assert.equal(apply.code, 1);
    assert.match(
      apply.err,
      /^kubelet apply: .* manifest directory: drop the file there.*\n {2}cp web\.yaml \/etc\/manifests\/\n$/,
    );
    assert.match(
      (await run('delete pod web')).err,
      /^kubelet delete: pod "web-n1" is there as long as .* remove the file, or its document, from \/etc\/manifests\/\n$/,
    );
    assert.match((await run('delete nope')).err, /^error: pods "nope" not found/);
    assert.match((await run('help')).out, /^The kubelet is the node agent/);
    assert.match((await run('version')).out, /^Kubernetes v1\.36/);
  });

  it('prints help', async () => {
    const { code, out } = await run('logs --help');
    assert.equal(code, 0);
    assert.match(out, /^Print .*\n\nUsage:\n {2}kubelet logs POD/);
  });

  it('shows what pods, containers and the node use', async () => {
    const [pods_, sorted, containers, node] = [
      await run('top pods'),
      await run('top pods --sort-by=memory --no-headers'),
      await run('top containers'),
      await run('top node -o wide'),
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
    assert.match((await run('top pod web')).out, /\ndefault +web-n1 .*\n$/);
    const { pods: shown, historyMs, node } = JSON.parse((await run('top pods dns -o json')).out);
    assert.deepEqual([shown.length, shown[0].cpuNanoCores, historyMs], [1, 5e6, past.atMs]);
    assert.deepEqual(node.history.cpuNanoCores, [5e8, 1e9]);
    assert.deepEqual(await run('top pods none'), {
      code: 1,
      out: '',
      err: 'error: no pod "none" runs here\n',
    });
    for (const [line, problem] of [
      ['top', 'name what to show: pods, containers or node'],
      ['top volumes', 'only pods, containers and the node can be shown, not "volumes"'],
      ['top pods --sort-by=age', 'unknown order "age": want cpu or memory'],
    ] as const)
      assert.match((await run(line)).err, new RegExp(`^error: ${problem}\n`));
  });

  it('looks again until the user wants no more', async () => {
    const stop = new AbortController();
    const { code, out } = await run('top node -w', stop.signal, () => stop.abort());
    assert.equal(code, 0);
    assert.match(out, /^NAME .*\nn1 .*\n$/);
  });

  it('prints the address of the page, or why there is none', async () => {
    assert.deepEqual(await run('page'), { code: 1, out: '', err: 'error: the page is off\n' });
    page = { address: 'http://127.0.0.1:4194/?token=x' };
    assert.deepEqual(await run('page'), { code: 0, out: 'http://127.0.0.1:4194/?token=x\n', err: '' });
  });
});
