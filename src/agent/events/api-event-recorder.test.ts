import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { MemoryApiServer } from '../../../test/fakes/memory-api-server.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import type { ApiEvent } from '../../core/events/api-event.ts';
import { EVENTS } from '../../ports/cluster/api-resource.ts';
import { ApiEventRecorder } from './api-event-recorder.ts';

const POD = samplePod();
const event = (over: { reason?: string; message?: string } = {}) =>
  ({ about: { pod: POD }, type: 'Normal', reason: 'Pulled', message: 'm', ...over }) as const;

describe('ApiEventRecorder', () => {
  let clock: FakeClock;
  let api: MemoryApiServer;
  let local: RecordingEvents;
  let logger: RecordingLogger;
  let recorder: ApiEventRecorder;
  let stop: AbortController;
  let running: Promise<void> | undefined;

  beforeEach(() => {
    clock = new FakeClock();
    api = new MemoryApiServer({ clock });
    local = new RecordingEvents();
    logger = new RecordingLogger();
    stop = new AbortController();
    running = undefined;
    recorder = new ApiEventRecorder({ api, clock, logger, random: () => 0.5, nodeName: 'node-1', local });
  });

  const run = async (): Promise<void> => {
    running ??= recorder.run(stop.signal);
    await clock.settle();
  };
  const stored = (namespace: string): ApiEvent[] =>
    api.store.list({ place: '/v1/events', plural: 'events', namespace }) as unknown as ApiEvent[];

  /** Stops and sees that nothing is left behind. */
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  };

  it('writes pod and node events to their namespaces, and passes them to the local listener', async () => {
    recorder.record({ ...event(), about: { pod: POD, container: 'web' } });
    recorder.record({ about: 'node', type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' });
    const claim = { metadata: { name: 'disk', namespace: 'shop', uid: 'c-1' }, spec: {} };
    recorder.record({ about: { claim }, type: 'Normal', reason: 'FileSystemResizeSuccessful', message: 'm' });
    await run();
    const [ofPod] = stored('market');
    const [ofNode] = stored('default');
    const [ofClaim] = stored('shop');
    const about = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claim.metadata };
    assert.deepEqual([ofClaim?.reason, ofClaim?.involvedObject], ['FileSystemResizeSuccessful', about]);
    assert.equal(local.claimEvents.length, 1);
    assert.match(ofPod?.metadata.name ?? '', /^shop\.[0-9a-f]{16}$/);
    assert.equal(ofPod?.involvedObject.fieldPath, 'spec.containers{web}');
    assert.deepEqual([ofNode?.reason, ofNode?.involvedObject.kind], ['Starting', 'Node']);
    assert.deepEqual([local.reasons(), local.nodeEvents.length], [['Pulled'], 1]);
    assert.ok(api.calls.every(({ options }) => options?.priority === 'events'));
    await end();
  });

  it('writes the annotations of an event, which programs read', async () => {
    const annotations = { starved_resource: 'memory' };
    recorder.record({ ...event({ reason: 'Evicted' }), annotations });
    await run();
    assert.deepEqual(stored('market')[0]?.metadata.annotations, annotations);
    await end();
  });

  it('gives events of the same moment different names', async () => {
    for (const message of ['a', 'b', 'c']) recorder.record(event({ message }));
    await run();
    assert.equal(stored('market').length, 3);
    await end();
  });

  it('counts the same event by a patch', async () => {
    recorder.record(event());
    await run();
    await clock.advance(5000);
    recorder.record(event());
    await run();
    const [only, ...others] = stored('market');
    assert.equal(others.length, 0);
    assert.deepEqual([only?.count, only?.lastTimestamp], [2, '2026-01-02T03:04:10Z']);
    assert.deepEqual(api.callsTo({ verb: 'patch' })[0]?.body, {
      count: 2,
      lastTimestamp: '2026-01-02T03:04:10Z',
      message: 'm',
    });
    await end();
  });

  it('creates an event again that the server has expired, with its count', async () => {
    recorder.record(event());
    await run();
    const [first] = stored('market');
    api.remove(EVENTS, first?.metadata.name ?? '', 'market');
    recorder.record(event());
    await clock.advance(500);
    const [second] = stored('market');
    assert.deepEqual([second?.metadata.name, second?.count], [first?.metadata.name, 2]);
    await end();
  });

  it('tries twelve times when the server cannot be reached, first after up to ten seconds', async () => {
    api.unreachable = true;
    const beganMs = clock.now();
    recorder.record(event());
    await run();
    await clock.runUntil(() => logger.messages('warning').length > 0, 600_000);
    assert.equal(api.callsTo({ verb: 'create' }).length, 12);
    assert.equal(clock.now() - beganMs, 5_000 + 10 * 10_000);
    await end();
  });

  it('writes in order what waited while the server was away', async () => {
    api.unreachable = true;
    recorder.record(event({ reason: 'First' }));
    recorder.record(event({ reason: 'Second' }));
    await run();
    api.unreachable = false;
    await clock.advance(10_000);
    assert.deepEqual(
      api.callsTo({ verb: 'create' }).map(({ body }) => (body as ApiEvent).reason),
      ['First', 'First', 'Second'],
    );
    await end();
  });

  it('writes the first at once, and together what is recorded in the half second after it', async () => {
    const other = samplePod({}, { name: 'other', uid: 'other' });
    const created = (): number => api.callsTo({ verb: 'create' }).length;
    await run();
    recorder.record(event({ message: 'a' }));
    await clock.settle();
    assert.equal(created(), 1);
    await clock.advance(100);
    for (const message of ['b', 'c']) recorder.record(event({ message }));
    recorder.record({ ...event(), about: { pod: other } });
    await clock.advance(399);
    assert.equal(created(), 1);
    const answer = Promise.withResolvers<void>();
    api.intercept = () => answer.promise;
    await clock.advance(1);
    assert.equal(created(), 3, 'one about each pod');
    answer.resolve();
    await clock.settle();
    assert.deepEqual(
      api.callsTo({ verb: 'create' }).map(({ body }) => (body as ApiEvent).message),
      ['a', 'b', 'm', 'c'],
    );
    await end();
  });

  it('takes an answer of the server as final', async () => {
    api.fail({ verb: 'create' }, 'permission-denied');
    recorder.record(event({ reason: 'Refused' }));
    recorder.record(event({ reason: 'Next' }));
    await run();
    assert.deepEqual(
      stored('market').map(({ reason }) => reason),
      ['Next'],
    );
    await end();
  });

  it('keeps the newest thousand and says how many were lost', async () => {
    for (let i = 0; i < 1010; i++)
      recorder.record({ ...event(), about: { pod: samplePod({}, { uid: String(i) }) } });
    assert.equal(recorder.queued, 1000);
    await run();
    await clock.settle();
    const first = api.callsTo({ verb: 'create' })[0]!;
    assert.equal((first.body as ApiEvent).involvedObject.uid, '10');
    assert.deepEqual(
      logger.lines.filter(({ severity }) => severity === 'warning').map(({ fields }) => fields['events']),
      [10],
    );
    await end();
  });

  it('ends at once while it waits for a server that does not answer', async () => {
    api.hang({ verb: 'create' });
    recorder.record(event());
    await run();
    await end();
    assert.deepEqual(logger.messages('error'), []);
  });
});
