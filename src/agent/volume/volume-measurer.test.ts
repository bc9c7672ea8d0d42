import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import { AgentError } from '../../base/errors.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { NO_USAGE, type VolumeReading } from '../../core/volume/volume-usage.ts';
import type { VolumeGauge } from '../../ports/storage/volume-driver.ts';
import { VolumeMeasurer, type VolumeMeasurerParts } from './volume-measurer.ts';

const UID = toPodUid('uid-1');
const PERIOD_MS = 60_000;
const used = (usedBytes: number): VolumeReading => ({ usage: { ...NO_USAGE, usedBytes } });

class FakeGauge implements VolumeGauge {
  readonly source = 'statfs';
  reads = 0;
  signal: AbortSignal | undefined;
  answer: () => Promise<VolumeReading | undefined>;

  constructor(answer: () => Promise<VolumeReading | undefined>) {
    this.answer = answer;
  }

  read(signal: AbortSignal): Promise<VolumeReading | undefined> {
    this.reads++;
    this.signal = signal;
    return this.answer();
  }
}

function setUp(over: Partial<VolumeMeasurerParts> = {}) {
  const clock = new FakeClock();
  const events = new RecordingEvents();
  const logger = new RecordingLogger();
  const gauges = new Map<string, VolumeGauge>();
  const work = new AbortController();
  const durations: string[] = [];
  const pod = samplePod({ volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'c' } }] });
  const measurer = new VolumeMeasurer({
    readGauges: () => ({ pod, gauges, signal: work.signal }),
    periodMs: PERIOD_MS,
    events,
    onRead: (source, durationMs) => void durations.push(`${source} ${durationMs}`),
    clock,
    random: () => 0,
    logger,
    ...over,
  });
  const shown = () => measurer.list().map(({ volume, usage }) => `${volume} ${usage.usedBytes}`);
  return { clock, events, logger, gauges, work, durations, measurer, shown };
}

describe('VolumeMeasurer', () => {
  it('measures soon after a volume came and then once each period', async () => {
    const { clock, gauges, measurer, shown, durations } = setUp();
    const gauge = new FakeGauge(async () => used(gauge.reads));
    gauges.set('data', gauge);
    measurer.follow(UID);
    measurer.follow(UID);
    assert.deepEqual(shown(), []);
    await clock.advance(PERIOD_MS / 10);
    assert.deepEqual(shown(), ['data 1']);
    await clock.advance(PERIOD_MS - 1);
    assert.equal(gauge.reads, 1);
    await clock.advance(1);
    assert.deepEqual(shown(), ['data 2']);
    assert.deepEqual(durations, ['statfs 0', 'statfs 0']);
    assert.equal(measurer.list()[0]?.claim?.name, 'c');
    measurer.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it('spreads pods over twice the time', async () => {
    const { clock, gauges, measurer } = setUp({ random: () => 0.5 });
    const gauge = new FakeGauge(async () => used(1));
    gauges.set('data', gauge);
    measurer.follow(UID);
    await clock.advance(PERIOD_MS * 0.15 - 1);
    assert.equal(gauge.reads, 0);
    await clock.advance(1 + PERIOD_MS * 1.5);
    assert.equal(gauge.reads, 2);
    measurer.close();
  });

  it('does nothing when it is switched off, or for a pod without volumes to measure', () => {
    const off = setUp({ periodMs: -1 });
    off.gauges.set('data', new FakeGauge(async () => used(1)));
    off.measurer.follow(UID);
    const empty = setUp();
    empty.measurer.follow(UID);
    assert.deepEqual([off.clock.pendingTimers, empty.clock.pendingTimers], [0, 0]);
  });

  it('lets a volume that does not answer delay no other, asks it once only, and keeps its last numbers', async () => {
    const { clock, gauges, measurer, shown } = setUp();
    const stuck = new FakeGauge(async () => used(5));
    const fine = new FakeGauge(async () => used(fine.reads));
    gauges.set('data', stuck).set('other', fine);
    measurer.follow(UID);
    await clock.advance(PERIOD_MS / 10);
    const { promise, resolve } = Promise.withResolvers<VolumeReading>();
    stuck.answer = () => promise;
    await clock.advance(PERIOD_MS * 3);
    assert.deepEqual(shown(), ['data 5', 'other 4']);
    assert.deepEqual([stuck.reads, stuck.signal?.aborted], [2, true], 'given up, but still under way');
    resolve(used(6));
    await clock.advance(PERIOD_MS);
    assert.deepEqual([shown()[0], stuck.reads], ['data 6', 3]);
    measurer.close();
  });

  it('shows nothing of a volume whose driver refuses or no longer reports', async () => {
    const { clock, gauges, measurer, shown, logger } = setUp();
    const gauge = new FakeGauge(async () => used(5));
    gauges.set('data', gauge);
    measurer.follow(UID);
    await clock.advance(PERIOD_MS / 10);
    const answers = [
      async () => Promise.reject(new AgentError('deadline-exceeded', 'late')),
      async () => Promise.reject(new AgentError('unknown', 'no such volume')),
      async () => used(6),
      async () => undefined,
    ];
    const seen: string[] = [];
    for (const answer of answers) {
      gauge.answer = answer;
      await clock.advance(PERIOD_MS);
      seen.push(shown().join());
    }
    assert.deepEqual(seen, ['data 5', '', 'data 6', '']);
    assert.deepEqual(
      logger.lines.filter(({ severity }) => severity === 'error'),
      [],
    );
    measurer.close();
  });

  it('records an event for an abnormal volume each time', async () => {
    const { clock, gauges, measurer, events } = setUp();
    const condition = { abnormal: true, message: 'bad disk' };
    gauges.set('data', new FakeGauge(async () => ({ ...used(1), condition })));
    measurer.follow(UID);
    await clock.advance(PERIOD_MS * 1.1);
    assert.deepEqual(
      events.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
      Array(2).fill('Warning VolumeConditionAbnormal Volume data: bad disk'),
    );
    measurer.close();
  });

  it('neither measures nor shows volumes that are gone, and starts again with new ones', async () => {
    const { clock, gauges, work, measurer, shown } = setUp();
    const gauge = new FakeGauge(async () => used(1));
    gauges.set('data', gauge);
    measurer.follow(UID);
    await clock.advance(PERIOD_MS / 10);
    assert.deepEqual(shown(), ['data 1']);
    gauges.clear();
    assert.deepEqual(shown(), []);
    await clock.advance(PERIOD_MS);
    assert.deepEqual([gauge.reads, clock.pendingTimers], [1, 0]);
    const next = new FakeGauge(async () => {
      work.abort();
      return used(9);
    });
    gauges.set('data', next);
    measurer.follow(UID);
    await clock.advance(PERIOD_MS / 10);
    assert.deepEqual([next.reads, shown()], [1, []], 'it went while it was read');
    measurer.close();
  });

  it('measures what is wanted at once, and waits no longer than it was allowed to', async () => {
    const { clock, gauges, measurer, shown } = setUp();
    const quick = new FakeGauge(async () => used(quick.reads));
    const hung = new FakeGauge(() => new Promise(() => {}));
    gauges.set('data', quick).set('hung', hung);
    await measurer.refresh(() => true, 1_000);
    assert.deepEqual([quick.reads, hung.reads], [0, 0], 'of a pod that is not followed nothing is known');
    measurer.follow(UID);
    await measurer.refresh((_pod, volume) => volume === 'data', 1_000);
    assert.deepEqual([shown(), hung.reads], [['data 1'], 0]);
    const all = measurer.refresh(() => true, 1_000);
    await clock.advance(1_000);
    await all;
    assert.deepEqual([shown(), hung.reads], [['data 2'], 1]);
    const again = measurer.refresh(() => true, 1_000);
    await clock.advance(1_000);
    await again;
    assert.equal(hung.reads, 1, 'one reading of a volume at a time');
    measurer.close();
  });
});
