import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeRuntime } from '../../../test/fakes/fake-runtime.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { makeSandboxConfig } from '../../../test/fakes/runtime-configs.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { PullPolicy } from '../../core/api/pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { noImageMeter } from '../../ports/image-meter.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import { type ImageAnswer, ImagePuller, type ImagePullerParts } from './image-puller.ts';
import type { PullLimits } from './shared-pulls.ts';

function setUp({
  maxParallelPulls = 5,
  pullsPerSecond = 0,
  burst = 1,
  ...more
}: Partial<ImagePullerParts & PullLimits> = {}) {
  const clock = new FakeClock();
  const runtime = new FakeRuntime(clock, { images: ['present:1'] });
  const events = new RecordingEvents();
  const parts = {
    kit: { clock, events, logger: new RecordingLogger() },
    images: runtime,
    meter: noImageMeter,
    credentials: { find: async () => ({ ok: true as const, value: [] }), forget: () => {} },
    verification: undefined,
    limits: { maxParallelPulls, pullsPerSecond, burst },
    ...more,
  };
  const puller = new ImagePuller(parts);
  const ask = (image: string, policy?: PullPolicy, uid = 'a', signal = new AbortController().signal) =>
    puller.ensure({
      uid: toPodUid(uid),
      pod: samplePod({}, { metadata: { uid } }),
      image,
      policy,
      container: 'main',
      sandboxConfig: makeSandboxConfig(uid),
      signal,
      label: `default/${uid}`,
    });
  const ensure = (...args: Parameters<typeof ask>): Promise<ImageAnswer> => clock.finish(ask(...args));
  const pulls = (): number =>
    runtime.log.filter(({ op, phase }) => op === 'pullImage' && phase === 'begin').length;
  const texts = (): string[] =>
    events.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
  return { clock, runtime, events, puller, ask, ensure, pulls, texts };
}

/** Only the refusal; fails the test when the image was had. */
function refusal(answer: ImageAnswer): { reason: string; message: string; retryAtMs: number } {
  assert.equal(answer.ok, false);
  return answer as Extract<ImageAnswer, { ok: false }>;
}

/** An image service whose pulls the test ends by hand. */
function manualImages() {
  const open: {
    image: string;
    signal: AbortSignal | undefined;
    succeed: () => void;
    fail: (e: Error) => void;
  }[] = [];
  const images = {
    imageStatus: () => Promise.resolve(undefined),
    pullImage: (image: string, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise<string>((resolve, reject) => {
        open.push({ image, signal, succeed: () => resolve(`id of ${image}`), fail: reject });
        // As a real runtime: the answer to an abort takes its time.
        signal?.addEventListener('abort', () =>
          setImmediate(() => reject(new AgentError('cancelled', 'cancelled'))),
        );
      }),
  } as unknown as ImageService;
  return { images, open };
}

describe('ImagePuller', () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): number => unhandled.push(error);
  before(() => process.on('unhandledRejection', note));
  after(() => {
    process.off('unhandledRejection', note);
    assert.deepEqual(unhandled, []);
  });

  describe('policy', () => {
    const rows: [PullPolicy | undefined, image: string, outcome: string, pulls: number][] = [
      ['Always', 'present:1', 'had', 1],
      ['Always', 'absent:1', 'had', 1],
      ['IfNotPresent', 'present:1', 'had', 0],
      ['IfNotPresent', 'absent:1', 'had', 1],
      ['Never', 'present:1', 'had', 0],
      ['Never', 'absent:1', 'ErrImageNeverPull', 0],
      [undefined, 'present:1', 'had', 1],
    ];
    for (const [policy, image, outcome, pulls] of rows) {
      it(`${policy ?? 'none'}, ${image}: ${outcome} with ${pulls} pulls`, async () => {
        const t = setUp();
        const answer = await t.ensure(image, policy);
        assert.equal(answer.ok ? 'had' : answer.reason, outcome);
        assert.equal(t.pulls(), pulls);
        assert.equal(t.clock.pendingTimers, 0);
      });
    }

    it('adds :latest for the runtime but not in what people read', async () => {
      const t = setUp();
      const answer = await t.ensure('absent', 'IfNotPresent');
      assert.ok(answer.ok && answer.info?.repoTags.includes('absent:latest'));
      assert.deepEqual(t.texts(), [
        'Normal Pulling Pulling image "absent"',
        'Normal Pulled Successfully pulled image "absent" in 200ms (200ms including waiting). Image size: 1000000 bytes.',
      ]);
      assert.equal(t.events.events[0]?.fieldPath, 'spec.containers{main}');
    });

    it('says when the image was there, or must not be pulled', async () => {
      const t = setUp();
      await t.ensure('present:1', 'IfNotPresent');
      const { message, retryAtMs } = refusal(await t.ensure('absent:1', 'Never'));
      assert.equal(message, 'Container image "absent:1" is not present with pull policy of Never');
      assert.equal(retryAtMs, t.clock.now() + 10_000);
      assert.deepEqual(t.texts(), [
        'Normal Pulled Container image "present:1" already present on machine',
        `Warning ErrImageNeverPull ${message}`,
      ]);
    });

    it('an image that cannot be looked at is an ImageInspectError, and is not pulled', async () => {
      const t = setUp();
      t.runtime.faults.add({ op: 'imageStatus', error: 'unknown', times: 1 });
      const { reason, message } = refusal(await t.ensure('absent:1', 'IfNotPresent'));
      assert.equal(reason, 'ImageInspectError');
      assert.match(message, /^Failed to inspect image "": ./);
      assert.deepEqual(t.texts(), [`Warning InspectFailed ${message}`]);
      assert.equal(t.pulls(), 0);
    });

    it('a name that is none is an InvalidImageName, without a call', async () => {
      const t = setUp();
      const { reason, message } = refusal(await t.ensure('Not A Name', 'Always'));
      assert.equal(reason, 'InvalidImageName');
      assert.match(message, /^Failed to apply default image tag "Not A Name": couldn't parse image name/);
      assert.deepEqual(t.events.reasons(), ['InspectFailed']);
      assert.equal(t.runtime.log.length, 0);
    });
  });

  describe('failures', () => {
    it('wait longer each time for the same pod and image, up to five minutes, and are forgotten after ten', async () => {
      const t = setUp();
      const delays: number[] = [];
      for (let n = 0; n < 7; n++) {
        const { retryAtMs } = refusal(await t.ensure('missing/app:1', 'Always'));
        delays.push(retryAtMs - t.clock.now());
        await t.clock.advance(retryAtMs - t.clock.now());
      }
      assert.deepEqual(delays, [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
      await t.clock.advance(600_001);
      const again = refusal(await t.ensure('missing/app:1', 'Always'));
      assert.equal(again.retryAtMs - t.clock.now(), 10_000);
    });

    it('count per pod and image, and no longer once the pod is forgotten', async () => {
      const t = setUp();
      const delay = async (image: string, uid: string): Promise<number> => {
        await t.clock.advance(60_000);
        return refusal(await t.ensure(image, 'Always', uid)).retryAtMs - t.clock.now();
      };
      assert.equal(await delay('missing/app:1', 'a'), 10_000);
      assert.equal(await delay('missing/app:1', 'a'), 20_000);
      assert.equal(await delay('missing/app:1', 'ab'), 10_000);
      assert.equal(await delay('missing/other:1', 'a'), 10_000);
      t.puller.podGone({ uid: toPodUid('a') });
      assert.equal(await delay('missing/app:1', 'a'), 10_000);
      assert.equal(await delay('missing/app:1', 'ab'), 20_000);
    });

    it('no pull starts before the back-off is over; the failure stays visible', async () => {
      const t = setUp();
      const { message, retryAtMs } = refusal(await t.ensure('missing/app:1', 'Always'));
      const other = refusal(await t.ensure('missing/app:1', 'Always'));
      assert.deepEqual(other, {
        ok: false,
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "missing/app:1": ErrImagePull: ${message}`,
        retryAtMs,
      });
      assert.equal(t.pulls(), 1);
      await t.clock.advance(retryAtMs - t.clock.now());
      assert.equal(refusal(await t.ensure('missing/app:1', 'Always')).reason, 'ErrImagePull');
      assert.equal(t.pulls(), 2);
    });

    it('a long pull is reported each time its duration doubles, and not after it ended', async () => {
      const { images, open } = manualImages();
      const t = setUp({ images });
      const asked = t.ask('app:1', 'Always');
      await t.clock.advance(250_000);
      open[0]?.succeed();
      await asked;
      await t.clock.advance(1_000_000);
      const reported = t.texts().filter((text) => text.includes('Still'));
      assert.deepEqual(
        reported,
        ['1m0s', '2m0s', '4m0s'].map((time) => `Normal Pulling Still pulling image "app:1" after ${time}`),
      );
      assert.equal(t.clock.pendingTimers, 0);
    });

    const texts: [text: string, reason: string, message: string][] = [
      ['rpc error: code = NotFound desc = gone', 'ErrImagePull', 'rpc error: code = NotFound desc = gone'],
      [
        'RegistryUnavailable: down',
        'RegistryUnavailable',
        'image pull failed for app:1 because the registry is unavailable: down',
      ],
      [
        'SignatureValidationFailed: bad key',
        'SignatureValidationFailed',
        'image pull failed for app:1 because the signature validation failed: bad key',
      ],
    ];
    for (const [text, reason, message] of texts) {
      it(`"${text}" is ${reason}`, async () => {
        const { images, open } = manualImages();
        const t = setUp({ images });
        const asked = t.ask('app:1', 'Always');
        await t.clock.settle();
        open[0]?.fail(new AgentError('unknown', text));
        const answer = refusal(await asked);
        assert.deepEqual([answer.reason, answer.message], [reason, message]);
        assert.equal(t.texts()[1], `Warning Failed Failed to pull image "app:1": ${text}`);
      });
    }

    it('more pulls than the rate allows fail at once, without a call', async () => {
      const t = setUp({ pullsPerSecond: 1, burst: 2 });
      await t.ensure('a:1', 'Always');
      await t.ensure('b:1', 'Always');
      const { reason, message } = refusal(await t.ensure('c:1', 'Always'));
      assert.deepEqual([reason, message], ['ErrImagePull', 'pull QPS exceeded']);
      assert.equal(t.pulls(), 2);
      await t.clock.advance(10_000);
      assert.equal((await t.ensure('c:1', 'Always')).ok, true);
    });
  });

  describe('sharing', () => {
    it('pulls an image once for all who ask meanwhile', async () => {
      const t = setUp();
      const asked = ['a', 'b', 'c'].map((uid) => t.ask('app', 'Always', uid));
      asked.push(t.ask('app:latest', 'Always', 'd'));
      const answers = await t.clock.finish(Promise.all(asked));
      assert.ok(answers.every(({ ok }) => ok));
      assert.equal(t.pulls(), 1);
      await t.ensure('app', 'Always');
      assert.equal(t.pulls(), 2);
    });

    it('a failure is one for each who waited', async () => {
      const t = setUp();
      const asked = Promise.all([t.ask('missing/a:1', 'Always', 'a'), t.ask('missing/a:1', 'Always', 'b')]);
      for (const answer of await t.clock.finish(asked)) assert.equal(refusal(answer).reason, 'ErrImagePull');
      assert.equal(t.pulls(), 1);
    });

    it('pulls only so many images at a time, in order of asking', async () => {
      const { images, open } = manualImages();
      const t = setUp({ images, maxParallelPulls: 2 });
      const asked = ['a', 'b', 'c', 'd'].map((name) => t.ask(`${name}:1`, 'Always', name));
      await t.clock.settle();
      assert.deepEqual(
        open.map(({ image }) => image),
        ['a:1', 'b:1'],
      );
      open[0]?.succeed();
      await t.clock.settle();
      assert.deepEqual(
        open.map(({ image }) => image),
        ['a:1', 'b:1', 'c:1'],
      );
      for (let n = 1; n < 4; n++) {
        open[n]?.succeed();
        await t.clock.settle();
      }
      assert.ok((await Promise.all(asked)).every(({ ok }) => ok));
    });

    it('a queued pull is distinguished from one under way', async () => {
      const { images, open } = manualImages();
      const t = setUp({ images, maxParallelPulls: 1 });
      const asked = ['a', 'b'].map((name) => t.ask(`${name}:1`, 'Always', name));
      await t.clock.settle();
      assert.deepEqual(
        ['a:1', 'b:1', 'c:1'].map((image) => t.puller.pullState(image)),
        ['pulling', 'queued', undefined],
      );
      await t.clock.advance(60_000);
      assert.ok(t.texts().includes('Normal Pulling Image "b:1" has waited for other pulls for 1m0s'));
      open[0]?.succeed();
      await t.clock.settle();
      assert.equal(t.puller.pullState('b:1'), 'pulling');
      open[1]?.succeed();
      await Promise.all(asked);
      assert.equal(t.puller.pullState('b:1'), undefined);
    });

    it('has no limit when none is set', async () => {
      const { images, open } = manualImages();
      const t = setUp({ images, maxParallelPulls: Number.POSITIVE_INFINITY });
      const asked = Array.from({ length: 50 }, (_, n) => t.ask(`image-${n}:1`, 'Always'));
      await t.clock.settle();
      assert.equal(open.length, 50);
      for (const pull of open) pull.succeed();
      await Promise.all(asked);
    });

    it('time spent in the queue is reported separately from the pull', async () => {
      const t = setUp({ maxParallelPulls: 1 });
      await t.clock.finish(Promise.all([t.ask('a:1', 'Always'), t.ask('b:1', 'Always')]));
      const [, , , second] = t.texts();
      assert.match(second ?? '', /"b:1" in 200ms \(40\dms including waiting\)/);
    });
  });

  describe('giving up', () => {
    it('a waiter that gives up returns at once and leaves the pull to the others', async () => {
      const { images, open } = manualImages();
      const t = setUp({ images });
      const leaver = new AbortController();
      const left = t.ask('app:1', 'Always', 'a', leaver.signal);
      const stays = t.ask('app:1', 'Always', 'b');
      await t.clock.settle();
      leaver.abort(new Error('the pod ends'));
      await assert.rejects(left, /the pod ends/);
      assert.equal(open[0]?.signal?.aborted, false);
      open[0]?.succeed();
      assert.equal((await stays).ok, true);
      assert.deepEqual(t.events.reasons('a'), ['Pulling']);
    });

    it('the last waiter to give up cancels the pull; a later one starts a new pull instead of failing with it', async () => {
      const { images, open } = manualImages();
      const t = setUp({ images });
      const leaver = new AbortController();
      const left = t.ask('app:1', 'Always', 'a', leaver.signal);
      await t.clock.settle();
      leaver.abort(new Error('the pod ends'));
      await assert.rejects(left, /the pod ends/);
      const next = t.ask('app:1', 'Always', 'b');
      await t.clock.settle();
      const late = t.ask('app:1', 'Always', 'c');
      await t.clock.settle();
      assert.equal(open[0]?.signal?.aborted, true);
      const live = open.filter(({ signal }) => signal?.aborted === false);
      assert.equal(live.length, 1);
      live[0]?.succeed();
      assert.deepEqual([(await next).ok, (await late).ok], [true, true]);
    });

    it('one who gave up while waiting for a place never pulls', async () => {
      const { images, open } = manualImages();
      const t = setUp({ images, maxParallelPulls: 1 });
      const leaver = new AbortController();
      const first = t.ask('a:1', 'Always', 'a');
      const left = t.ask('b:1', 'Always', 'b', leaver.signal);
      await t.clock.settle();
      leaver.abort(new Error('the pod ends'));
      await assert.rejects(left, /the pod ends/);
      open[0]?.succeed();
      await first;
      await t.clock.settle();
      assert.deepEqual(
        open.map(({ image }) => image),
        ['a:1'],
      );
    });

    it('one whose signal aborted while its image was looked at does not begin a pull', async () => {
      const { images, open } = manualImages();
      const leaver = new AbortController();
      const looking = Promise.withResolvers<undefined>();
      const t = setUp({ images: { ...images, imageStatus: () => looking.promise } });
      const left = t.ask('app:1', 'IfNotPresent', 'a', leaver.signal);
      leaver.abort(new Error('the pod ends'));
      looking.resolve(undefined);
      await assert.rejects(left, /the pod ends/);
      assert.equal(open.length, 0);
    });
  });
});
