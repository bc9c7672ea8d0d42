import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeGrpcServer, type Handler, type ServedCall } from '../../../test/fakes/fake-grpc-server.ts';
import { makeSandboxConfig } from '../../../test/fakes/runtime-configs.ts';
import { silentLogger } from '../../../test/fakes/text-logger.ts';
import { hasCode } from '../../base/errors.ts';
import { toContainerId } from '../../core/model/ids.ts';
import * as wire from '../../gen/cri.ts';
import { type CriConnection, type CriSettings, connectCri } from './connect-cri.ts';
import { CRI_CALLS, toCheckpointTimeout } from './cri-calls.ts';

const T = 120_000;
const VERSION = { version: '0.1.0', runtimeName: 'fake', runtimeVersion: '1', runtimeApiVersion: 'v1' };

/** Answers by path; what is not listed is unimplemented. */
type Answers = Readonly<Record<string, (call: ServedCall) => void>>;

function reply(message: Uint8Array): (call: ServedCall) => void {
  return (call) => {
    call.send(message);
    call.end(0);
  };
}

function runtimeOf(answers: Answers, api = 'runtime.v1'): Answers {
  const base: Answers = {
    'RuntimeService/Version': reply(wire.encodeVersionResponse(VERSION)),
    'ImageService/ImageFsInfo': reply(wire.encodeImageFsInfoResponse({})),
  };
  return Object.fromEntries(
    Object.entries({ ...base, ...answers }).map(([path, answer]) => [`/${api}.${path}`, answer]),
  );
}

class Setup implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly paths: string[];
  readonly cri: CriConnection;
  readonly #server: FakeGrpcServer;

  constructor(server: FakeGrpcServer, paths: string[], settings: Partial<CriSettings>) {
    this.#server = server;
    this.paths = paths;
    this.cri = connectCri({
      endpoint: `unix://${server.socketPath}`,
      requestTimeoutMs: T,
      clock: this.clock,
      logger: silentLogger,
      ...settings,
    });
  }

  stopServer(): Promise<void> {
    return this.#server.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cri.close();
    await this.#server[Symbol.asyncDispose]();
    assert.equal(this.cri.client.openSessions, 0);
    assert.equal(this.cri.client.openStreams, 0);
    assert.deepEqual(this.cri.client.inFlightCalls(), []);
    assert.equal(this.clock.pendingTimers, 0);
  }
}

async function serve(answers: Answers, settings: Partial<CriSettings> = {}): Promise<Setup> {
  const paths: string[] = [];
  const handle: Handler = (call) => {
    paths.push(call.path);
    const answer = answers[call.path];
    if (answer === undefined) call.refuse(12, `unknown ${call.path}`);
    else answer(call);
  };
  return new Setup(await FakeGrpcServer.start(handle), paths, settings);
}

describe('connectCri', () => {
  it('sends nothing by itself and checks both services on connect', async () => {
    await using setup = await serve(runtimeOf({}));
    assert.equal(setup.cri.client.openSessions, 0);
    await setup.cri.connect();
    assert.equal(setup.cri.client.openSessions, 2);
  });

  it('emits when the runtime goes, without a call that would notice', async () => {
    await using setup = await serve(runtimeOf({}));
    await setup.cri.connect();
    const lost = Promise.withResolvers<void>();
    using _losses = setup.cri.losses.subscribe(lost.resolve);
    await setup.stopServer();
    await lost.promise;
  });

  it('says which service failed to connect', async () => {
    await using setup = await serve(
      runtimeOf({ 'ImageService/ImageFsInfo': (call) => call.refuse(14, 'not ready') }),
    );
    await assert.rejects(setup.cri.connect(), (error) => {
      assert.ok(hasCode(error, 'unavailable'));
      assert.match(
        error.message,
        /^validate service connection: validate CRI v1 image API for endpoint "unix:\/\/.*": rpc error: code = Unavailable desc = not ready \(is the container runtime running, and is that endpoint its socket\?\)$/,
      );
      return true;
    });
  });
});

describe('CriClient', () => {
  it('falls back to v1alpha2 for a runtime that has no v1', async () => {
    await using setup = await serve(runtimeOf({}, 'runtime.v1alpha2'));
    assert.equal((await setup.cri.reader.version()).runtimeName, 'fake');
    await setup.cri.reader.version();
    assert.deepEqual(setup.paths, [
      '/runtime.v1.RuntimeService/Version',
      '/runtime.v1alpha2.RuntimeService/Version',
      '/runtime.v1alpha2.RuntimeService/Version',
      '/runtime.v1alpha2.RuntimeService/Version',
    ]);
  });

  it('refuses a runtime of another version', async () => {
    const answer = { version: '0.2.0', runtimeName: 'f', runtimeVersion: '1', runtimeApiVersion: 'v1' };
    await using setup = await serve(
      runtimeOf({ 'RuntimeService/Version': reply(wire.encodeVersionResponse(answer)) }),
    );
    await assert.rejects(setup.cri.reader.version(), {
      code: 'failed-precondition',
      message: 'runtime api version is not supported',
    });
  });

  for (const [driver, expected] of [
    [undefined, undefined],
    [{}, 'systemd'],
    [{ cgroupDriver: 1 }, 'cgroupfs'],
    [{ cgroupDriver: 7 }, /^AgentError: runtime returned an unknown cgroup driver 7$/],
  ] as const)
    it(`reads the cgroup driver ${JSON.stringify(driver)}`, async () => {
      const linux = driver === undefined ? {} : { linux: driver };
      const answer = reply(wire.encodeRuntimeConfigResponse(linux));
      await using setup = await serve(runtimeOf({ 'RuntimeService/RuntimeConfig': answer }));
      const driverName = setup.cri.reader.cgroupDriver();
      if (expected instanceof RegExp) await assert.rejects(driverName, expected);
      else assert.equal(await driverName, expected);
    });

  it('asks for images with the annotations of their pod, and with the handler if one is given', async () => {
    const asked: unknown[] = [];
    const note = (image: wire.ImageSpec | undefined): void => {
      asked.push([image?.image, { ...image?.annotations }, image?.runtimeHandler]);
    };
    await using setup = await serve(
      runtimeOf({
        'ImageService/ImageStatus': (call) => {
          note(wire.decodeImageStatusRequest(call.body).image);
          reply(wire.encodeImageStatusResponse({}))(call);
        },
        'ImageService/PullImage': (call) => {
          note(wire.decodePullImageRequest(call.body).image);
          reply(wire.encodePullImageResponse({ imageRef: 'sha256:1' }))(call);
        },
      }),
    );
    const sandboxConfig = makeSandboxConfig('a', { annotations: { k: 'v' } });
    await setup.cri.images.imageStatus('app:1', { sandboxConfig });
    await setup.cri.images.pullImage('app:1', { sandboxConfig, runtimeHandler: 'gvisor' });
    assert.deepEqual(asked, [
      ['app:1', { k: 'v' }, ''],
      ['app:1', { k: 'v' }, 'gvisor'],
    ]);
  });

  it('does not mistake a missing call for a missing version', async () => {
    await using setup = await serve(runtimeOf({}));
    assert.equal(await setup.cri.reader.cgroupDriver(), undefined);
    assert.equal((await setup.cri.reader.version()).runtimeName, 'fake');
    assert.ok(setup.paths.every((path) => path.startsWith('/runtime.v1.')));
  });

  it('refuses a wrong answer', async () => {
    await using setup = await serve(runtimeOf({ 'RuntimeService/Exec': reply(wire.encodeExecResponse({})) }));
    const call = setup.cri.client.call('exec', { containerId: 'c' });
    await assert.rejects(call, { code: 'unknown', message: 'URL is not set' });
  });

  it('names the calls under way by label or request, and notifies the observer', async () => {
    const ended: string[] = [];
    const waiting = Promise.withResolvers<ServedCall>();
    await using setup = await serve(
      runtimeOf({
        'RuntimeService/StopPodSandbox': (call) => waiting.resolve(call),
        'RuntimeService/RemoveContainer': (call) => call.refuse(5, 'gone'),
      }),
      {
        observer: {
          ended: (call, durationMs, error) =>
            ended.push(`${call.operation} ${call.detail} ${durationMs} ${error}`),
        },
      },
    );
    const startedAtMs = setup.clock.steady();
    const stop = setup.cri.client.call('stopPodSandbox', { podSandboxId: 's1' }, { label: 'default/web' });
    const served = await waiting.promise;
    assert.deepEqual(setup.cri.client.inFlightCalls(), [
      { operation: 'stop_podsandbox', detail: 'default/web', startedAtMs },
    ]);
    await setup.clock.advance(700);
    served.send(new Uint8Array(0));
    served.end(0);
    await stop;
    await setup.cri.runtime.removeContainer(toContainerId('c1'));
    assert.deepEqual(ended, [
      'stop_podsandbox default/web 700 undefined',
      'remove_container c1 0 AgentError: rpc error: code = NotFound desc = gone',
    ]);
  });

  it('turns a deadline of exec into the words of other kubelets', async () => {
    const waiting = Promise.withResolvers<ServedCall>();
    await using setup = await serve(
      runtimeOf({ 'RuntimeService/ExecSync': (call) => waiting.resolve(call) }),
    );
    const exec = setup.cri.runtime.execSync(toContainerId('c'), ['sh', '-c', 'x'], 90);
    exec.catch(() => {});
    const { headers } = await waiting.promise;
    assert.equal(headers['grpc-timeout'], `${T + 90_000}m`);
    await setup.clock.advance(T + 90_000);
    await assert.rejects(exec, {
      code: 'deadline-exceeded',
      message: 'command timed out: "sh -c x" timed out after 1m30s',
    });
  });

  it('reports a stream of events that ends as unavailable, and reports it open only once the runtime has accepted it', async () => {
    const streams: ServedCall[] = [];
    await using setup = await serve(
      runtimeOf({ 'RuntimeService/GetContainerEvents': (call) => void streams.push(call) }),
    );
    const opened = Promise.withResolvers<void>();
    const kinds: string[] = [];
    const watching = setup.cri.reader.watchEvents(
      (event) => kinds.push(`${event.kind} ${event.id} ${event.podUid}`),
      {
        signal: new AbortController().signal,
        onOpen: opened.resolve,
      },
    );
    watching.catch(() => {});
    await opened.promise;
    const [call] = streams;
    assert.equal(call?.headers['grpc-timeout'], undefined);
    const podSandboxStatus = { metadata: { uid: 'u1' } };
    for (const containerEventType of [0, 3, 9])
      call?.send(
        wire.encodeContainerEventResponse({ containerId: 'c', containerEventType, podSandboxStatus }),
      );
    call?.end(0);
    await assert.rejects(watching, { code: 'unavailable' });
    assert.deepEqual(kinds, ['created c u1', 'deleted c u1']);
  });
});

describe('streaming lists', () => {
  const uid = 'u1';
  const entry = (id: string): object => ({ id, metadata: { name: 'n', uid, namespace: 'ns' } });

  it('join the items of all messages', async () => {
    await using setup = await serve(
      runtimeOf({
        'RuntimeService/StreamPodSandboxes': (call) => {
          call.send(wire.encodeStreamPodSandboxesResponse({ podSandboxes: [entry('a'), entry('b')] }));
          call.send(wire.encodeStreamPodSandboxesResponse({ podSandboxes: [entry('c')] }));
          call.end(0);
        },
      }),
      { listStreaming: true },
    );
    const listed = await setup.cri.reader.listSandboxes();
    assert.deepEqual(
      listed.map(({ id }) => id),
      ['a', 'b', 'c'],
    );
  });

  it('give nothing when the stream breaks half-way', async () => {
    await using setup = await serve(
      runtimeOf({
        'RuntimeService/StreamPodSandboxes': (call) => {
          call.send(wire.encodeStreamPodSandboxesResponse({ podSandboxes: [entry('a')] }));
          call.end(13, 'broke');
        },
      }),
      { listStreaming: true },
    );
    await assert.rejects(setup.cri.reader.listSandboxes(), { code: 'unknown' });
  });

  it('ask a runtime without them once per service', async () => {
    await using setup = await serve(
      runtimeOf({
        'RuntimeService/ListPodSandbox': reply(wire.encodeListPodSandboxResponse({ items: [entry('a')] })),
        'ImageService/ListImages': reply(wire.encodeListImagesResponse({ images: [{ id: 'i' }] })),
      }),
      { listStreaming: true },
    );
    for (let i = 0; i < 2; i++) {
      assert.equal((await setup.cri.reader.listSandboxes()).length, 1);
      assert.equal((await setup.cri.images.listImages()).length, 1);
    }
    const count = (name: string): number => setup.paths.filter((path) => path.endsWith(name)).length;
    assert.equal(count('/StreamPodSandboxes'), 1);
    assert.equal(count('/StreamImages'), 1);
    assert.equal(count('/ListPodSandbox'), 2);
    assert.equal(count('/ListImages'), 2);
  });
});

describe('CRI_CALLS', () => {
  it('has every call of both services', () => {
    const named = Object.values(CRI_CALLS).map(({ service, name }) => `${service}/${name}`);
    const all = [wire.RuntimeService, wire.ImageService].flatMap((service) =>
      Object.values(service).map((method) => `${method.service}/${method.name}`),
    );
    assert.deepEqual(named.toSorted(), all.toSorted());
  });

  it('gives each call its deadline', () => {
    assert.equal(CRI_CALLS.version.timeoutMs(T, {}), T);
    assert.equal(CRI_CALLS.streamImages.timeoutMs(T, {}), T);
    assert.equal(CRI_CALLS.runPodSandbox.timeoutMs(T, {}), 2 * T);
    assert.equal(CRI_CALLS.stopContainer.timeoutMs(T, { timeout: 30 }), T + 30_000);
    assert.equal(CRI_CALLS.execSync.timeoutMs(T, { timeout: 5 }), T + 5000);
    assert.equal(CRI_CALLS.execSync.timeoutMs(T, { timeout: 0 }), undefined);
    assert.equal(CRI_CALLS.checkpointContainer.timeoutMs(T, { timeout: 600 }), 600_000);
    assert.equal(CRI_CALLS.checkpointContainer.timeoutMs(T, { timeout: 1 }), T);
    assert.equal(CRI_CALLS.pullImage.timeoutMs(T, {}), undefined);
    assert.equal(CRI_CALLS.getContainerEvents.timeoutMs(T, {}), undefined);
  });
});

describe('toCheckpointTimeout', () => {
  it('is at least the request timeout and never negative', () => {
    assert.equal(toCheckpointTimeout(T, 0), 120);
    assert.equal(toCheckpointTimeout(T, 121), 121);
    assert.throws(() => toCheckpointTimeout(T, -1), {
      code: 'invalid-argument',
      message: 'CheckpointContainer requires the timeout value to be > 0',
    });
  });
});
