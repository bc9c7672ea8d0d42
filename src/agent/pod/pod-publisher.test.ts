import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { podFacts } from '../../../test/samples/sample-facts.ts';
import { sampleNode } from '../../../test/samples/sample-pod.ts';
import {
  exited,
  instance,
  NOW,
  NOW_MS,
  observe,
  samplePod,
  sandbox,
  UID,
} from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import type { WaitingReason } from '../../core/model/start-failure.ts';
import type { Termination } from '../../core/model/termination.ts';
import type { PodFacts } from '../../core/pod/pod-facts.ts';
import { PodPublisher } from './pod-publisher.ts';
import { type PublishedStatus, StatusBoard } from './status-board.ts';
import { TerminationMessages } from './termination-messages.ts';

const STOPPED = [sandbox({ ready: false })];

function setUp(pod: Pod = samplePod()) {
  const board = new StatusBoard();
  const events = new RecordingEvents();
  const logger = new RecordingLogger();
  const publisher = new PodPublisher({
    board,
    messages: new TerminationMessages(new FakeFiles()),
    kit: { events, logger },
    runtimeName: () => 'containerd',
    hostIps: () => ['192.168.0.2'],
    node: sampleNode({
      features: (gate) => gate === 'ContainerStopSignals',
      runtimeHandlers: () => [{ name: '', recursiveReadOnlyMounts: true, userNamespaces: false }],
    }),
    agentStartedAtMs: NOW_MS - 60_000,
    resizer: { conditions: () => [] },
  });
  let news = 0;
  board.published.subscribe(() => news++);
  const publish = (
    more: Partial<PodFacts> & { waiting?: Record<string, WaitingReason>; source?: DesiredPod['source'] } = {},
  ): PublishedStatus | undefined => {
    const { waiting = {}, source = 'api', ...rest } = more;
    const facts = podFacts({ pod, ...rest });
    const { termination } = facts;
    const record: DesiredPod = {
      uid: UID,
      pod,
      source,
      order: 0,
      ...(termination === undefined ? {} : { termination }),
    };
    publisher.publish(record, facts, new Map(Object.entries(waiting)), new Map());
    return board.published.get(UID);
  };
  return { board, events, logger, publisher, publish, news: () => news };
}

const ending = (cause: Termination['cause'], more: Partial<Termination> = {}): Termination => ({
  cause,
  requestedAtMs: NOW_MS,
  ...more,
});
const running = observe([instance('main', 'running')]);

describe('PodPublisher', () => {
  it('records the events of a decision, but not for a pod that only the runtime knows', () => {
    const { publisher, events } = setUp();
    const pod = samplePod();
    const news = [{ type: 'Warning', reason: 'NetworkNotReady', message: 'no plugin' }] as const;
    publisher.recordEvents({ uid: UID, pod, source: 'api', order: 0 }, news);
    publisher.recordEvents({ uid: UID, pod, source: 'api', order: 0 }, undefined);
    publisher.recordEvents({ uid: UID, pod, source: 'runtime', order: 0 }, news);
    assert.deepEqual(events.events, [{ pod, ...news[0] }]);
  });

  it('publishes a changed status once, with one line', () => {
    const t = setUp();
    const published = t.publish({ observed: running });
    assert.deepEqual([published?.status.phase, published?.mayRun], ['Running', true]);
    t.publish({ observed: running, nowMs: NOW_MS + 60_000 });
    assert.equal(t.news(), 1);
    assert.deepEqual(
      t.logger.lines.map(({ message, fields }) => [message, fields['state']]),
      [['pod status', 'Running, Ready']],
    );
  });

  it('shows what the node supports: stop signals, recursively read-only mounts', () => {
    const mount = { name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' as const };
    const t = setUp(samplePod({ containers: [{ name: 'main', image: 'main:1', volumeMounts: [mount] }] }));
    const observed = observe([instance('main', 'running', { details: { stopSignal: 'SIGUSR1' } })]);
    const [main] = t.publish({ observed })?.status.containerStatuses ?? [];
    assert.equal(main?.stopSignal, 'SIGUSR1');
    assert.equal(main?.volumeMounts?.[0]?.recursiveReadOnly, 'Enabled');
    const elsewhere = observe([instance('main', 'running')], [sandbox({ runtimeHandler: 'other' })]);
    const [other] = t.publish({ observed: elsewhere })?.status.containerStatuses ?? [];
    assert.equal(other?.volumeMounts?.[0]?.recursiveReadOnly, 'Disabled', 'another handler cannot');
  });

  it('publishes nothing about a pod that only the runtime has', () => {
    const t = setUp();
    assert.equal(t.publish({ source: 'runtime', observed: running }), undefined);
  });

  it('keeps the time the pod started', () => {
    const t = setUp();
    assert.equal(t.publish()?.status.startTime, NOW);
    assert.equal(t.publish({ observed: running, startedAtMs: NOW_MS + 9_000 })?.status.startTime, NOW);
  });

  it('a pod that ends may run until nothing of it does, also when the status says the same', () => {
    const t = setUp(samplePod({ restartPolicy: 'Never' }));
    const still = observe([exited('main', 0)]);
    const over = observe([exited('main', 0)], STOPPED);
    assert.equal(t.publish({ observed: still, termination: ending('completed') })?.mayRun, true);
    assert.equal(t.publish({ observed: over, termination: ending('completed') })?.mayRun, false);
    const last = t.board.published.get(UID);
    assert.equal(last?.status.phase, 'Succeeded');
  });

  it('a pod without a termination may always run', () => {
    const t = setUp();
    assert.equal(t.publish({ observed: observe([], STOPPED) })?.mayRun, true);
  });

  it('publishes the verdict of an early end only when nothing runs any more', () => {
    const verdict = { reason: 'Evicted', message: 'The node was low on resource: memory.' };
    const t = setUp();
    const termination = ending('evicted', { verdict });
    assert.deepEqual(pick(t.publish({ observed: running, termination })), ['Running', undefined]);
    const over = observe([exited('main', 137)], STOPPED);
    assert.deepEqual(pick(t.publish({ observed: over, termination })), ['Failed', 'Evicted']);
  });

  it('of a pod that was rejected before anything ran only the verdict is published', () => {
    const t = setUp();
    const verdict = { reason: 'OutOfcpu', message: 'Pod was rejected: no cpu' };
    const published = t.publish({ observed: observe([], []), termination: ending('rejected', { verdict }) });
    assert.deepEqual(Object.keys(published?.status ?? {}).sort(), [
      'message',
      'observedGeneration',
      'phase',
      'qosClass',
      'reason',
      'startTime',
    ]);
    assert.deepEqual(pick(published), ['Failed', 'OutOfcpu']);
  });

  it('a deleted pod is published on every pass: each write may be the one that lets it go', () => {
    const t = setUp(samplePod({}, { metadata: { deletionTimestamp: NOW } }));
    t.publish({ observed: running, termination: ending('deleted') });
    t.publish({ observed: running, termination: ending('deleted') });
    assert.equal(t.news(), 2);
  });

  it('a container that ended for good does not come back: a warning instead of a status', () => {
    const t = setUp(samplePod({ restartPolicy: 'Never' }));
    t.publish({ observed: observe([exited('main', 0)]) });
    const before = t.board.published.get(UID);
    t.publish({ observed: running });
    assert.equal(t.board.published.get(UID), before);
    assert.deepEqual(t.logger.messages('warning'), ['status not published']);
  });

  const waits: [string, WaitingReason, WaitingReason, type: string, message: string][] = [
    [
      'a crash loop',
      { reason: 'CrashLoopBackOff', message: 'back-off 10s restarting failed container=main pod=x' },
      { reason: 'CrashLoopBackOff', message: 'back-off 20s restarting failed container=main pod=x' },
      'Warning',
      'Back-off restarting failed container main in pod web_default(uid-1)',
    ],
    [
      'failing pulls',
      { reason: 'ImagePullBackOff', message: 'Back-off pulling image "app:1": ErrImagePull: no' },
      { reason: 'ImagePullBackOff', message: 'Back-off pulling image "app:1": ErrImagePull: still no' },
      'Normal',
      'Back-off pulling image "app:1"',
    ],
  ];
  for (const [what, first, second, type, message] of waits) {
    it(`the back-off of ${what} is one event each time it begins`, () => {
      const t = setUp();
      const failed = { observed: observe([]) };
      t.publish({ ...failed, waiting: { main: first } });
      t.publish({ ...failed, waiting: { main: first } });
      const isPull = type === 'Normal';
      assert.deepEqual(
        t.events.events.map((event) => [event.type, event.reason, event.message, event.fieldPath]),
        [
          [type, 'BackOff', message, 'spec.containers{main}'],
          ...(isPull ? [['Warning', 'Failed', 'Error: ImagePullBackOff', 'spec.containers{main}']] : []),
        ],
      );
      t.publish({ ...failed, waiting: { main: second } });
      assert.equal(t.events.reasons().filter((reason) => reason === 'BackOff').length, 2);
    });
  }
});

function pick(published: PublishedStatus | undefined): unknown[] {
  return [published?.status.phase, published?.status.reason];
}
