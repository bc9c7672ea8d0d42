import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeProbeTransport } from '../../../test/fakes/fake-probe-transport.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { LifecycleHandler } from '../../core/api/pod.ts';
import { toContainerId } from '../../core/model/ids.ts';
import type { ContainerRuntime, ExecResult } from '../../ports/runtime/container-runtime.ts';
import { type HookTarget, runHook } from './run-hook.ts';

const target: HookTarget = {
  pod: samplePod(),
  container: { name: 'main' },
  id: toContainerId('main-1'),
  podIp: '10.0.0.7',
  label: 'default/web',
};

function setUp(exec: () => Partial<ExecResult> = () => ({})) {
  const clock = new FakeClock();
  const transport = new FakeProbeTransport(clock);
  const recorder = new RecordingEvents();
  const execs: unknown[] = [];
  const runtime = {
    execSync: async (id: unknown, command: unknown, timeoutSeconds: unknown) => {
      execs.push([id, command, timeoutSeconds]);
      return { exitCode: 0, stdout: new Uint8Array(), stderr: new Uint8Array(), ...exec() };
    },
  } as unknown as ContainerRuntime;
  const counts: string[] = [];
  const parts = {
    runtime,
    transport,
    clock,
    events: recorder,
    meter: { counted: (what: string) => void counts.push(what) },
  };
  const stop = new AbortController();
  return {
    clock,
    transport,
    events: recorder.events,
    counts,
    execs,
    stop,
    run: (handler: LifecycleHandler, at: HookTarget = target) =>
      clock.finish(runHook(parts, handler, at, stop.signal)),
    start: (handler: LifecycleHandler) => runHook(parts, handler, target, stop.signal),
  };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('runHook', () => {
  it('runs a command as it is, without a time limit', async () => {
    const { run, execs } = setUp();
    assert.deepEqual(await run({ exec: { command: ['echo', '$(HOME)'] } }), { ok: true, value: undefined });
    assert.deepEqual(execs, [['main-1', ['echo', '$(HOME)'], 0]]);
  });

  it('fails with what the command printed, or why it could not run', async () => {
    const { run } = setUp(() => ({ exitCode: 2, stdout: bytes('a\n'), stderr: bytes('b') }));
    assert.deepEqual(await run({ exec: { command: ['sh', '-c', 'x'] } }), {
      ok: false,
      message:
        'Exec lifecycle hook ([sh -c x]) for Container "main" in Pod "web_default(uid-1)" failed - ' +
        `error: command 'sh -c x' exited with 2: b, message: "a\\nb"`,
    });
    const broken = setUp(() => {
      throw new AgentError('unavailable', 'runtime is down');
    });
    const result = await broken.run({ exec: { command: ['x'] } });
    assert.match(result.ok ? '' : result.message, /failed - error: runtime is down, message: ""$/);
  });

  it('takes any HTTP answer as success and asks in its own name', async () => {
    const { run, transport } = setUp();
    transport.onHttp = () => ({ kind: 'answer', status: 500, body: '' });
    assert.equal((await run({ httpGet: { port: 80, path: '/bye' } })).ok, true);
    const [call] = transport.calls;
    assert.equal(call?.address, '10.0.0.7:80');
    assert.deepEqual(
      call?.request?.headers.find(([name]) => name === 'User-Agent'),
      ['User-Agent', 'kube-lifecycle/1.36'],
    );
  });

  it('fails when the server cannot be reached or the pod has no address', async () => {
    const { run, transport } = setUp();
    transport.onHttp = () => ({ kind: 'failure', message: 'refused' });
    const prefix =
      'HTTP lifecycle hook (/bye) for Container "main" in Pod "web_default(uid-1)" failed - error';
    assert.deepEqual(await run({ httpGet: { port: 80, path: '/bye' } }), {
      ok: false,
      message: `${prefix}: refused`,
    });
    const nowhere = { ...target, podIp: undefined };
    assert.deepEqual(await run({ httpGet: { port: 80, path: '/bye' } }, nowhere), {
      ok: false,
      message: `${prefix}: the pod has no address`,
    });
  });

  it('falls back to plain HTTP without credentials and records an event', async () => {
    const { run, transport, events, counts } = setUp();
    transport.onHttp = ({ scheme }) =>
      scheme === 'https'
        ? { kind: 'plain-http', message: 'no TLS' }
        : { kind: 'answer', status: 200, body: '' };
    const httpHeaders = [
      { name: 'authorization', value: 'Bearer x' },
      { name: 'X-Keep', value: '1' },
    ];
    const result = await run({ httpGet: { port: 443, scheme: 'HTTPS', httpHeaders } });
    assert.equal(result.ok, true);
    const names = transport.calls.map(({ request }) => request?.headers.map(([name]) => name));
    assert.deepEqual(names, [
      ['Host', 'User-Agent', 'Accept', 'authorization', 'X-Keep'],
      ['Host', 'User-Agent', 'Accept', 'X-Keep'],
    ]);
    assert.deepEqual(events, [
      {
        pod: target.pod,
        type: 'Warning',
        reason: 'LifecycleHTTPFallback',
        message: 'request to HTTPS lifecycle hook 10.0.0.7:443 got HTTP response, retry with HTTP succeeded',
      },
    ]);
    assert.deepEqual(counts, ['hook-plain-retry']);
  });

  it('sleeps as long as asked, also not at all', async () => {
    const { run, clock, counts } = setUp();
    const startMs = clock.now();
    assert.equal((await run({ sleep: { seconds: 0 } })).ok, true);
    assert.equal(clock.now(), startMs);
    assert.equal((await run({ sleep: { seconds: 5 } })).ok, true);
    assert.equal(clock.now(), startMs + 5_000);
    assert.deepEqual(counts, []);
  });

  it('fails a sleep that is cut short', async () => {
    const { start, stop, clock, counts } = setUp();
    const result = start({ sleep: { seconds: 5 } });
    stop.abort();
    assert.deepEqual(await result, {
      ok: false,
      message:
        'Sleep lifecycle hook (5) for Container "main" in Pod "web_default(uid-1)" failed - ' +
        'error: container terminated before sleep hook finished',
    });
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual(counts, ['sleep-cut-short']);
  });

  it('fails a handler it does not have', async () => {
    const { run } = setUp();
    for (const handler of [{}, { tcpSocket: { port: 80 } }]) {
      const result = await run(handler);
      assert.match(result.ok ? '' : result.message, /^invalid handler/);
    }
  });
});
