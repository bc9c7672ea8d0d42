import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { SAMPLE_CONTAINER, SAMPLE_POD } from '../../../test/samples/sample-main-server.ts';
import { AgentError } from '../../base/errors.ts';
import type { ContainerStatus } from '../../core/api/pod-status.ts';
import { toContainerId } from '../../core/model/ids.ts';
import type { ContainerLogs, LogReadOptions } from '../../ports/runtime/container-logs.ts';
import type { HttpReply } from '../http/http-exchange.ts';
import { type ContainerLogsParts, toContainerLogsRoute } from './container-logs-route.ts';
import { decideLogInstance } from './log-instance.ts';
import { parseLogOptions } from './log-options.ts';

const NOW = 1_000_000;

describe('parseLogOptions', () => {
  const parse = (query: string) => parseLogOptions(new URLSearchParams(query), NOW);
  const base = { follow: false, previous: false, timestamps: false, stream: 'All' };

  for (const [query, expected] of [
    ['', {}],
    ['follow=true&previous=1&timestamps', { follow: true, previous: true, timestamps: true }],
    ['follow=false&previous=0&timestamps=FALSE', {}],
    ['tailLines=0', { tailLines: 0 }],
    ['tail=5&tailLines=9', { tailLines: 5 }],
    ['tail=all&tailLines=9', {}],
    ['tail=&tailLines=9', { tailLines: 9 }],
    ['tailLines=9223372036854775807', { tailLines: Number(2n ** 63n - 1n) }],
    ['tailLines=%2B3', { tailLines: 3 }],
    ['limitBytes=1', { limitBytes: 1 }],
    ['sinceSeconds=1', { sinceMs: NOW - 1_000 }],
    ['sinceSeconds=10', { sinceMs: NOW - 10_000 }],
    ['sinceTime=1970-01-01T00:00:02Z', { sinceMs: 2000 }],
    ['sinceTime=1970-01-01T01:00:02.5%2B01:00', { sinceMs: 2500 }],
    ['sinceTime=', {}],
    ['stream=Stderr', { stream: 'Stderr' }],
    ['insecureSkipTLSVerifyBackend=true&unknown=1', {}],
  ] as const)
    it(`reads ${JSON.stringify(query)}`, () => {
      assert.deepEqual(parse(query), { kind: 'options', options: { ...base, ...expected } });
    });

  for (const query of [
    'tailLines=x',
    'tail=some',
    'limitBytes=1.5',
    'sinceSeconds=',
    'sinceTime=now',
    'tailLines=9223372036854775808',
  ])
    it(`cannot decode ${JSON.stringify(query)}`, () =>
      assert.deepEqual(parse(query), { kind: 'undecodable' }));

  for (const query of [
    'tailLines=-1',
    'limitBytes=0',
    'limitBytes=-1',
    'sinceSeconds=0',
    'sinceSeconds=-1',
    'sinceSeconds=1&sinceTime=1970-01-01T00:00:02Z',
    'stream=both',
    'stream=Stdout&tailLines=1',
  ])
    it(`rejects ${JSON.stringify(query)} as invalid`, () =>
      assert.deepEqual(parse(query), { kind: 'invalid' }));
});

describe('decideLogInstance', () => {
  const make = (
    state: ContainerStatus['state'],
    lastState: ContainerStatus['lastState'] = {},
  ): ContainerStatus => ({
    name: 'c',
    state,
    lastState,
    ready: false,
    restartCount: 0,
    image: '',
    imageID: '',
    containerID: 'r://now',
  });
  const ended = (containerID?: string) => ({
    terminated: { exitCode: 0, ...(containerID === undefined ? {} : { containerID }) },
  });
  const running = { running: { startedAt: '' } };
  const what = 'container "c" in pod "p"';

  for (const [name, status, previous, expected] of [
    ['a running one', make(running), false, { containerId: 'r://now' }],
    ['one that ended', make(ended('r://old')), false, { containerId: 'r://old' }],
    ['one that ended before it began', make(ended(), ended('r://last')), false, { containerId: 'r://last' }],
    ['one that ended without a trace', make(ended()), false, { problem: `${what} is terminated` }],
    ['the one before', make(running, ended('r://last')), true, { containerId: 'r://last' }],
    ['the one before the first', make(running), true, { problem: `previous terminated ${what} not found` }],
    [
      'one between two lives',
      make({ waiting: { reason: 'CrashLoopBackOff' } }, ended('r://last')),
      false,
      { containerId: 'r://last' },
    ],
    [
      'one whose image is missing',
      make({ waiting: { reason: 'ErrImagePull' } }),
      false,
      { problem: `${what} is waiting to start: image can't be pulled` },
    ],
    [
      'one that waits for its image',
      make({ waiting: { reason: 'ImagePullBackOff' } }),
      false,
      { problem: `${what} is waiting to start: trying and failing to pull image` },
    ],
    [
      'one that waits',
      make({ waiting: { reason: 'ContainerCreating' } }),
      false,
      { problem: `${what} is waiting to start: ContainerCreating` },
    ],
    ['one without a state', make({}), false, { problem: `${what} is waiting to start - no logs yet` }],
    ['one without a status', undefined, false, { problem: `${what} is not available` }],
  ] as const)
    it(`knows the log of ${name}`, () => {
      const status_ = { containerStatuses: status === undefined ? [] : [status] };
      assert.deepEqual(decideLogInstance(status_, 'p', 'c', previous), expected);
    });

  it('looks at init and ephemeral containers too', () => {
    for (const key of ['initContainerStatuses', 'ephemeralContainerStatuses'])
      assert.deepEqual(decideLogInstance({ [key]: [make(running)] }, 'p', 'c', false), {
        containerId: 'r://now',
      });
  });
});

describe('/containerLogs', () => {
  const details = { reason: '', message: '', logPath: '/l', mounts: [] };
  async function ask(
    query: string,
    parts: Partial<ContainerLogsParts> = {},
    params = { namespace: 'ns', pod: 'p', container: 'c' },
  ) {
    const logs: ContainerLogs = { read: async (path, _query, sink) => sink.write(Buffer.from(path)) };
    const route = toContainerLogsRoute({
      pods: { listPods: () => [SAMPLE_POD], statusOf: () => undefined },
      runtime: { containerStatus: async () => ({ ...SAMPLE_CONTAINER, details }) },
      logs,
      splitStreams: false,
      clock: new FakeClock(),
      ...parts,
    });
    const request = {
      method: 'GET',
      path: '',
      query: new URLSearchParams(query),
      headers: {},
      body: new Uint8Array(),
      params,
    };
    return read(await route.handle(request, new AbortController().signal));
  }
  async function read({ status, body, stream }: HttpReply): Promise<[number, string]> {
    let text = body;
    const sink = {
      write: async (chunk: Uint8Array) => {
        text += Buffer.from(chunk).toString();
      },
    };
    await stream?.(sink, new AbortController().signal);
    return [status, text];
  }

  it('reads the file of the instance', async () => {
    const asked: string[] = [];
    const containerStatus = async (id: string) => {
      asked.push(id);
      return { ...SAMPLE_CONTAINER, details };
    };
    assert.deepEqual(await ask('', { runtime: { containerStatus } }), [200, '/l']);
    assert.deepEqual(asked, [toContainerId('c1')]);
  });

  it('answers what the specification says', async () => {
    assert.deepEqual(await ask('tailLines=x'), [400, '{"message": "Unable to decode query."}']);
    assert.deepEqual(await ask('tailLines=-1'), [422, '{"message": "Invalid request."}']);
    const at = (pod: string, container: string) => ({ namespace: 'ns', pod, container });
    assert.deepEqual(await ask('', {}, at('x', 'c')), [404, 'pod "x" does not exist']);
    assert.deepEqual(await ask('', {}, at('p', 'x')), [404, 'container "x" not found in pod "p"']);
    const [status, text] = await ask('stream=Stdout');
    assert.equal(status, 400);
    assert.match(
      text,
      /^unable to return the given log stream: "Stdout"\. Please enable PodLogsQuerySplitStreams/,
    );
    assert.equal((await ask('stream=Stdout', { splitStreams: true }))[0], 200);
    assert.match((await ask('previous=true'))[1], /^previous terminated container "c" in pod "p" not found$/);
    for (const containerStatus of [async () => undefined, () => Promise.reject(new Error('x'))])
      assert.deepEqual(await ask('', { runtime: { containerStatus } }), [
        400,
        'unable to retrieve container logs for containerd://c1',
      ]);
  });

  it('reads the file that was last seen when the runtime is away, or does not answer in time', async () => {
    const lastSeen = () => ({ ...SAMPLE_CONTAINER, details });
    const refused = () => Promise.reject(new AgentError('unavailable', 'connection refused'));
    assert.deepEqual(await ask('', { runtime: { containerStatus: refused }, lastSeen }), [200, '/l']);
    const clock = new FakeClock();
    const hangs = () => new Promise<never>(() => {});
    const asked = ask('', { runtime: { containerStatus: hangs }, lastSeen, clock });
    await clock.advance(2_000);
    assert.deepEqual(await asked, [200, '/l']);
    assert.equal(clock.pendingTimers, 0);
    const gone = async () => undefined;
    assert.equal((await ask('', { runtime: { containerStatus: gone }, lastSeen }))[0], 400);
  });

  it('reports a failure in the body once the headers were sent', async () => {
    const logs: ContainerLogs = {
      read: () => Promise.reject(new AgentError('not-found', 'cannot open "/l"')),
    };
    assert.deepEqual(await ask('', { logs }), [200, 'cannot open "/l"']);
  });

  it('treats the container as running when the runtime does not answer', async () => {
    let seen: LogReadOptions | undefined;
    const logs: ContainerLogs = {
      read: async (_path, _query, _sink, options) => {
        seen = options;
      },
    };
    let answer: () => Promise<typeof SAMPLE_CONTAINER | undefined> = async () => ({
      ...SAMPLE_CONTAINER,
      details,
    });
    await ask('follow=true', { logs, runtime: { containerStatus: () => answer() } });
    assert.equal(await seen?.isRunning(), true);
    answer = async () => ({ ...SAMPLE_CONTAINER, state: 'exited' });
    assert.equal(await seen?.isRunning(), false);
    answer = async () => undefined;
    assert.equal(await seen?.isRunning(), false);
    answer = () => Promise.reject(new AgentError('unavailable', 'x'));
    assert.equal(await seen?.isRunning(), true);
  });
});
