import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeProbeTransport } from '../../../test/fakes/fake-probe-transport.ts';
import { noObjects } from '../../../test/fakes/no-objects.ts';
import { noPins } from '../../../test/fakes/no-pins.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { sampleNode, withGate } from '../../../test/samples/sample-pod.ts';
import { exited, instance, observe, samplePod, sandbox } from '../../../test/samples/sample-pods.ts';
import { Gate } from '../../base/async/gate.ts';
import { AgentError } from '../../base/errors.ts';
import type { Container, Lifecycle } from '../../core/api/pod.ts';
import { type ContainerId, toContainerId, toPodUid, toSandboxId } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import type { ObservedContainer } from '../../core/model/observed-pod.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { ContainerRuntime, ExecResult } from '../../ports/runtime/container-runtime.ts';
import type { ImageAnswer, ImagePuller, ImageRequest } from '../image/image-puller.ts';
import type { CrashLoopMemory } from '../pod/crash-loop-memory.ts';
import { LifecycleHooks } from '../pod/lifecycle-hooks.ts';
import { postStartRunner } from './post-start.ts';
import { startContainerPerformer } from './start-container.ts';

const logger = silentLogger;

const files = {
  listDirectory: async () => [],
  readFile: async () => '',
  makeDirectory: async () => {},
  writeFile: async () => {},
  exists: async () => false,
} as unknown as HostFiles;

interface Trouble {
  readonly files?: Partial<HostFiles>;
  readonly runtime?: Partial<ContainerRuntime>;
  readonly image?: ImageAnswer;
  readonly container?: Partial<Container>;
  readonly node?: NodeProfile;
  readonly runtimeHandler?: string;
  /** What the pass saw of the container, and what it is by now. */
  readonly seen?: { readonly before: ObservedContainer; readonly now: () => ObservedContainer | undefined };
}

function setUp(
  lifecycle: Lifecycle,
  exec: (command: readonly string[]) => Promise<Partial<ExecResult>>,
  trouble: Trouble = {},
) {
  const clock = new FakeClock();
  const log: string[] = [];
  const imageHandlers: (string | undefined)[] = [];
  const recorder = new RecordingEvents();
  const gate = new Gate(1);
  const runtime = {
    createContainer: async () => toContainerId('main-1'),
    startContainer: async (id: ContainerId) => void log.push(`start ${id}`),
    stopContainer: async (id: ContainerId, graceSeconds: number) =>
      void log.push(`stop ${id} with ${graceSeconds}`),
    execSync: async (_id: ContainerId, command: readonly string[]) => {
      log.push(command.join(' '));
      const result = await exec(command);
      return { exitCode: 0, stdout: new Uint8Array(), stderr: new Uint8Array(), ...result };
    },
    ...trouble.runtime,
  } as unknown as ContainerRuntime;
  const transport = new FakeProbeTransport(clock);
  const kit = { clock, random: () => 0, events: recorder };
  const node = trouble.node ?? sampleNode();
  const hooks = new LifecycleHooks({ runtime, transport, events: recorder, clock, logger });
  const perform = startContainerPerformer(
    {
      kit,
      runtime,
      reader: { containerStatus: async () => trouble.seen?.now() },
      settings: {
        files: { ...files, ...trouble.files },
        node,
        resolver: { read: async () => '' },
        volumes: {
          prepared: () => new Map(),
          preparedBlocks: () => new Map(),
          groups: () => [],
          prepareSubPaths: async () => new Map(),
        },
        objects: noObjects,
        subPaths: { readFile: async () => undefined },
        services: () => [],
        hardware: { sources: [], pins: noPins },
        users: undefined,
      },
      gate,
      puller: {
        ensure: async ({ runtimeHandler }: ImageRequest) => {
          imageHandlers.push(runtimeHandler);
          return trouble.image ?? { ok: true, imageId: 'sha256:1', info: undefined };
        },
      } as unknown as ImagePuller,
      crashLoops: {} as CrashLoopMemory,
      allocations: { noteContainer: () => false, stored: async () => {} },
    },
    postStartRunner({ ...kit, runtime, hooks, node, onStopped: () => {} }),
  );
  const container = { name: 'main', image: 'app:1', lifecycle, ...trouble.container };
  const pod = samplePod({
    containers: [container],
    terminationGracePeriodSeconds: 20,
    enableServiceLinks: true,
  });
  const record = { uid: toPodUid('uid-1'), pod, source: 'file' as const, order: 0 };
  const pass = new AbortController();
  return {
    clock,
    log,
    imageHandlers,
    events: recorder.events,
    gate,
    pass,
    start: () =>
      perform(
        {
          kind: 'start-container',
          container,
          role: 'regular',
          sandboxId: toSandboxId('sandbox-1'),
          sandboxAttempt: 0,
        },
        {
          record,
          observed: observe(trouble.seen === undefined ? [] : [trouble.seen.before], [
            sandbox({ runtimeHandler: trouble.runtimeHandler ?? '' }),
          ]),
          signal: pass.signal,
          callSignal: pass.signal,
          label: 'default/web',
        },
      ),
  };
}

const POST_START = { postStart: { exec: { command: ['hello'] } } };

describe('startContainerPerformer', () => {
  it('waits for the postStart hook without holding a place in the gate', async () => {
    const hook = Promise.withResolvers<Partial<ExecResult>>();
    const { clock, log, gate, pass, start } = setUp(POST_START, () => hook.promise);
    let ended = false;
    const result = start().finally(() => {
      ended = true;
    });
    await clock.settle();
    assert.deepEqual(log, ['start main-1', 'hello']);
    assert.equal(await gate.run(0, pass.signal, async () => 'free'), 'free');
    assert.equal(ended, false);
    hook.resolve({});
    assert.deepEqual(await result, { kind: 'done' });
  });

  describe('on a full disk', () => {
    const full = new AgentError('resource-exhausted', 'cannot write "…": no space left on device');
    const refuse = async (path: string): Promise<void> => {
      if (path.endsWith('etc-hosts')) throw full;
    };

    it('starts a container again with the hosts file of its first start', async () => {
      const texts: string[] = [];
      const first = { writeFile: async (_: string, text: string) => void texts.push(text) };
      await setUp({}, async () => ({}), { files: first }).start();
      const written = texts.find((text) => text.includes('localhost'));
      const { log, start } = setUp({}, async () => ({}), {
        files: { writeFile: refuse, readFile: async () => written },
      });
      assert.deepEqual(await start(), { kind: 'done' });
      assert.deepEqual(log, ['start main-1']);
    });

    it('does not start one whose hosts file would be another', async () => {
      const { log, start } = setUp({}, async () => ({}), {
        files: { writeFile: refuse, readFile: async () => '6.6.6.6 localhost' },
      });
      assert.equal((await start()).kind, 'failed');
      assert.deepEqual(log, []);
    });
  });

  it('stops a container whose postStart hook failed, with its preStop hook and the usual grace', async () => {
    const lifecycle = { ...POST_START, preStop: { exec: { command: ['bye'] } } };
    const { clock, log, events, start } = setUp(lifecycle, async ([command]) => ({
      exitCode: command === 'hello' ? 1 : 0,
    }));
    const result = await start();
    assert.deepEqual(log, ['start main-1', 'hello', 'bye', 'stop main-1 with 20']);
    assert.deepEqual(result, {
      kind: 'failed',
      reason: 'PostStartHookError',
      message:
        'Exec lifecycle hook ([hello]) for Container "main" in Pod "web_default(uid-1)" failed - ' +
        `error: command 'hello' exited with 1: , message: ""`,
      retryAtMs: clock.now() + 10_000,
      endsPass: false,
    });
    assert.deepEqual(
      events.map(({ type, reason, message }) => [type, reason, message]),
      [
        ['Normal', 'Created', 'Container created'],
        ['Normal', 'Started', 'Container started'],
        ['Warning', 'FailedPostStartHook', 'PostStartHook failed'],
        ['Normal', 'Killing', 'FailedPostStartHook'],
      ],
    );
  });

  it('leaves the container to the next pass when the pass is cut short during the hook', async () => {
    const hook = Promise.withResolvers<Partial<ExecResult>>();
    const { clock, log, events, pass, start } = setUp(POST_START, () => hook.promise);
    const result = assert.rejects(start(), /the pod ends/);
    await clock.settle();
    pass.abort(new Error('the pod ends'));
    hook.reject(new Error('cancelled'));
    await result;
    assert.deepEqual(log, ['start main-1', 'hello']);
    assert.deepEqual(
      events.map(({ reason }) => reason),
      ['Created', 'Started'],
    );
  });

  it('replaces an instance that was never started, but not one that runs by now', async () => {
    const made = instance('main', 'created', { id: 'old' });
    const rows: readonly [ObservedContainer | undefined, readonly string[]][] = [
      [made, ['remove old', 'start main-1']],
      [undefined, ['remove old', 'start main-1']],
      [instance('main', 'running', { id: 'old' }), []],
      [exited('main', 0, { id: 'old' }), []],
    ];
    for (const [now, expected] of rows) {
      const removed: string[] = [];
      const removeContainer = async (id: ContainerId): Promise<void> => void removed.push(`remove ${id}`);
      const { log, start } = setUp({}, async () => ({}), {
        seen: { before: made, now: () => now },
        runtime: { removeContainer },
      });
      assert.deepEqual(await start(), { kind: 'done' });
      assert.deepEqual([...removed, ...log], expected);
    }
  });

  for (const [node, expected] of [
    [sampleNode(), ''],
    [withGate('RuntimeClassInImageCriApi'), 'gvisor'],
  ] as const)
    it(`asks for images of the handler "${expected}" by the gate`, async () => {
      const { start, imageHandlers } = setUp({}, async () => ({}), { node, runtimeHandler: 'gvisor' });
      await start();
      assert.deepEqual(imageHandlers, [expected]);
    });

  it('waits for a start that is still under way, and says so only when it takes long', async () => {
    const made = instance('main', 'created', { id: 'old' });
    const looks = (now: () => ObservedContainer) => {
      const removeContainer = async (): Promise<never> => {
        throw new AgentError('unknown', 'it is starting', { cause: new Error('starting') });
      };
      return setUp({}, async () => ({}), { seen: { before: made, now }, runtime: { removeContainer } });
    };
    let asked = 0;
    const soon = looks(() => (++asked < 3 ? made : instance('main', 'running', { id: 'old' })));
    assert.deepEqual(await soon.clock.finish(soon.start()), { kind: 'done' });
    assert.deepEqual([asked, soon.log, soon.events], [3, [], []]);
    const never = looks(() => made);
    const result = await never.clock.finish(never.start());
    assert.ok(result.kind === 'failed');
    assert.deepEqual([result.reason, result.message], ['CreateContainerError', 'starting']);
    assert.deepEqual(
      never.events.map(({ reason, message }) => [reason, message]),
      [['Failed', 'Error: starting']],
    );
  });

  const refuse = async (): Promise<never> => {
    throw new AgentError('unknown', 'cannot do it', { cause: new Error('no such program') });
  };
  const failures: readonly [
    what: string,
    reason: string,
    trouble: Trouble,
    events: readonly (readonly [string, string])[],
  ][] = [
    [
      'an image that is not there',
      'ErrImagePull',
      { image: { ok: false, reason: 'ErrImagePull', message: 'registry is away', retryAtMs: 0 } },
      [['Failed', 'Error: ErrImagePull']],
    ],
    [
      'an image whose user is unknown',
      'CreateContainerConfigError',
      { image: { ok: true, imageId: 'sha256:1', info: undefined, inspectError: 'runtime is away' } },
      [['Failed', 'Error: runtime is away']],
    ],
    [
      'a configuration that cannot be made',
      'CreateContainerConfigError',
      { container: { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'a' } } }] } },
      [['Failed', "Error: couldn't get configMap default/none, no kubeClient defined"]],
    ],
    [
      'a host that cannot be written',
      'CreateContainerConfigError',
      { files: { makeDirectory: refuse } },
      [['Failed', 'Error: cannot do it']],
    ],
    [
      'a container the runtime does not make',
      'CreateContainerError',
      { runtime: { createContainer: refuse } },
      [['Failed', 'Error: no such program']],
    ],
    [
      'a container the runtime does not start',
      'RunContainerError',
      { runtime: { startContainer: refuse } },
      [
        ['Created', 'Container created'],
        ['Failed', 'Error: no such program'],
      ],
    ],
    [
      'a container the runtime names by its id, which the event does not',
      'RunContainerError',
      {
        runtime: {
          startContainer: async (id) => {
            throw new AgentError('unknown', '', { cause: new Error(`task of ${id}: ${id} is broken`) });
          },
        },
      },
      [
        ['Created', 'Container created'],
        ['Failed', 'Error: task of main: main is broken'],
      ],
    ],
  ];
  for (const [what, reason, trouble, event] of failures) {
    it(`has a reason and an event for ${what}`, async () => {
      const { events, start } = setUp({}, async () => ({}), trouble);
      const result = await start();
      assert.deepEqual([result.kind, 'reason' in result && result.reason], ['failed', reason]);
      assert.deepEqual(
        events.map((event) => [event.reason, event.message]),
        event,
      );
    });
  }
});
