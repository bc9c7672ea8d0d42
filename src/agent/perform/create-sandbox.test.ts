import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeCgroups } from '../../../test/fakes/fake-cgroups.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { noPins } from '../../../test/fakes/no-pins.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { sampleNode } from '../../../test/samples/sample-pod.ts';
import { observe, samplePod } from '../../../test/samples/sample-pods.ts';
import { Gate } from '../../base/async/gate.ts';
import { AgentError } from '../../base/errors.ts';
import type { PodSpec } from '../../core/api/pod.ts';
import { toPodUid, toSandboxId } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { noRuntimeClasses, type RuntimeClasses } from '../../ports/cluster/runtime-classes.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import { CgroupRefusals } from '../resources/cgroup-refusals.ts';
import { sandboxPerformer } from './create-sandbox.ts';

const CLASSES: RuntimeClasses = {
  handler: async (name) =>
    name === 'gvisor'
      ? { kind: 'found', handler: 'runsc' }
      : { kind: 'failed', message: `runtimeclass.node.k8s.io "${name}" not found` },
};

interface Trouble {
  readonly spec?: Partial<PodSpec>;
  readonly node?: Partial<NodeProfile>;
  /** Directories that cannot be made. */
  readonly unwritable?: RegExp;
  readonly replaces?: boolean;
  readonly noCgroup?: boolean;
  readonly noSandbox?: boolean;
  /** Cgroups that are there. */
  readonly tiers?: readonly string[];
}

async function create(
  runtimeClassName: string | undefined,
  runtimeClasses?: RuntimeClasses,
  { spec = {}, node = {}, unwritable, replaces, noCgroup, noSandbox, tiers = [] }: Trouble = {},
) {
  const files = {
    readFile: async () => '',
    makeDirectory: async (path: string) => {
      if (unwritable?.test(path)) throw new AgentError('unknown', 'disk is full');
    },
  } as unknown as HostFiles;
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const handlers: string[] = [];
  const events = new RecordingEvents();
  const cgroups = new FakeCgroups();
  for (const path of tiers) await cgroups.ensure(path);
  let tierWrites = 0;
  if (noCgroup)
    cgroups.ensure = async () => {
      throw new AgentError('unknown', 'no space left on device');
    };
  const perform = sandboxPerformer({
    runtime: {
      runSandbox: async (_config: unknown, handler: string) => {
        handlers.push(handler);
        if (noSandbox) throw new AgentError('unknown', 'rpc error: code = Unknown desc = no address left');
        return toSandboxId('s1');
      },
    } as unknown as ContainerRuntime,
    kit: { clock, random: () => 0, events },
    settings: {
      files,
      resolver: { read: () => files.readFile('/etc/resolv.conf') },
      node: sampleNode(node),
      volumes: { groups: () => [] },
      users: undefined,
      hardware: { sources: [], pins: noPins },
    },
    cgroup: {
      cgroups,
      tiers: { writeAgain: () => void tierWrites++ },
      refusals: new CgroupRefusals(logger),
      logger,
      node: sampleNode(node),
      pins: noPins,
    },
    gate: new Gate(1),
    claims: undefined,
    allocations: { notePodCgroup: () => {} },
    runtimeClasses: runtimeClasses ?? noRuntimeClasses,
  });
  const pod = samplePod({ ...spec, ...(runtimeClassName === undefined ? {} : { runtimeClassName }) });
  const { signal } = new AbortController();
  const record = { uid: toPodUid('uid-1'), pod, source: 'api' as const, order: 0 };
  const result = await perform(
    { kind: 'create-sandbox', attempt: 0, ...(replaces ? { replaces: toSandboxId('old') } : {}) },
    {
      record,
      observed: observe([]),
      signal,
      callSignal: signal,
      label: 'a/b',
    } as never,
  );
  const { nodeEvents } = events;
  return { result, handlers, events: events.events, nodeEvents, nowMs: clock.now(), tierWrites };
}

describe('sandboxPerformer', () => {
  const sandbox = 'Failed to create pod sandbox:';
  for (const [name, classes, expected] of [
    [undefined, CLASSES, ''],
    ['gvisor', CLASSES, 'runsc'],
    ['gvisor', undefined, ''],
  ] as const)
    it(`runs a pod of the class ${name} by the handler "${expected}"${classes ? '' : ' standalone'}`, async () => {
      const { result, handlers } = await create(name, classes);
      assert.deepEqual([result.kind, handlers], ['done', [expected]]);
    });

  it('makes no sandbox for a class that does not exist, says so, and tries again later', async () => {
    const { result, handlers, events } = await create('kata', CLASSES);
    assert.deepEqual(handlers, []);
    assert.ok(result.kind === 'failed' && result.retryAtMs !== undefined);
    assert.deepEqual(
      events.map(({ type, reason, message }) => [type, reason, message]),
      [['Warning', 'FailedCreatePodSandBox', `${sandbox} runtimeclass.node.k8s.io "kata" not found`]],
    );
  });

  const failures: [what: string, trouble: Trouble, reason: string, message: string][] = [
    [
      'a host name that is none',
      { spec: { hostname: 'A' } },
      'FailedCreatePodSandBox',
      `${sandbox} pod Hostname "A" is not a valid DNS label: `,
    ],
    [
      'a log directory that cannot be made',
      { unwritable: /^\/var\/log/ },
      'FailedCreatePodSandBox',
      `${sandbox} disk is full`,
    ],
    [
      'directories of its own that cannot be made',
      { unwritable: /^\/var\/lib/ },
      'Failed',
      'error making pod data directories: disk is full',
    ],
    [
      'a cgroup that cannot be made, before any directory',
      { noCgroup: true, unwritable: /./ },
      'FailedCreatePodContainer',
      'unable to ensure pod container exists: no space left on device',
    ],
  ];
  for (const [what, trouble, reason, message] of failures)
    it(`reports ${what}`, async () => {
      const { result, handlers, events } = await create(undefined, undefined, trouble);
      assert.deepEqual([result.kind, handlers], ['failed', []]);
      assert.deepEqual([events.length, events[0]?.reason], [1, reason]);
      assert.ok(events[0]?.message.startsWith(message), events[0]?.message);
    });

  it('reports a sandbox that the runtime cannot create, with its message, and retries after 10 s', async () => {
    const { result, events, nowMs } = await create(undefined, undefined, { noSandbox: true });
    const why = 'rpc error: code = Unknown desc = no address left';
    assert.deepEqual(
      events.map(({ type, reason, message }) => [type, reason, message]),
      [['Warning', 'FailedCreatePodSandBox', `${sandbox} ${why}`]],
    );
    assert.deepEqual(result, {
      kind: 'failed',
      reason: 'CreatePodSandboxError',
      message: `Failed to create sandbox for pod "web_default(uid-1)": ${why}`,
      retryAtMs: nowMs + 10_000,
      endsPass: true,
    });
  });

  for (const [where, tiers, expected] of [
    ['in a tier that is there', ['/kubepods.slice/kubepods-besteffort.slice'], 0],
    ['and makes one that is not, which then gets its values again', ['/kubepods.slice/kubepods-x.slice'], 1],
  ] as const)
    it(`makes the cgroup of the pod ${where}`, async () => {
      const { tierWrites } = await create(undefined, undefined, { tiers, node: { cgroupDriver: 'systemd' } });
      assert.equal(tierWrites, expected);
    });

  it('reports a sandbox that is replaced', async () => {
    const { events } = await create(undefined, undefined, { replaces: true });
    assert.deepEqual(
      events.map(({ type, reason, message }) => [type, reason, message]),
      [['Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.']],
    );
  });

  it('records events of pod and node for a cluster without DNS', async () => {
    const { events, nodeEvents } = await create(undefined, undefined, {
      spec: { dnsPolicy: 'ClusterFirst' },
      node: { clusterDns: [] },
    });
    assert.deepEqual([events[0]?.reason, nodeEvents[0]?.reason], ['MissingClusterDNS', 'MissingClusterDNS']);
    assert.match(nodeEvents[0]?.message ?? '', /^kubelet does not have ClusterDNS IP configured/);
  });
});
