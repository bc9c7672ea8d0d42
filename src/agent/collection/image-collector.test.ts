import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeImages } from '../../../test/fakes/fake-images.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { ImageCollectionPolicy } from '../../core/collection/image-collection.ts';
import { toContainerId, toPodUid, toSandboxId } from '../../core/model/ids.ts';
import type { ObservedContainer } from '../../core/model/observed-pod.ts';
import { ImageCollector } from './image-collector.ts';

const POLICY = { highPercent: 85, lowPercent: 80, minAgeMs: 120_000, maxAgeMs: 0, collectsUnpullable: false };
const MINUTE = 60_000;

let clock: FakeClock;
let images: FakeImages;
let events: RecordingEvents;
let logger: RecordingLogger;
let containers: ObservedContainer[];
let pods: Pod[];
let disk: { capacityBytes: number; availableBytes: number };
let listings: number;
let collected: string[];
let pruned: ReadonlySet<string>[];
let failing: Set<string>;
let onRemove: () => void;
let stop: AbortController;
let ended: Promise<void>;

beforeEach(() => {
  clock = new FakeClock();
  images = new FakeImages([]);
  events = new RecordingEvents();
  logger = new RecordingLogger();
  containers = [];
  pods = [];
  disk = { capacityBytes: 100_000_000, availableBytes: 50_000_000 };
  listings = 0;
  collected = [];
  pruned = [];
  failing = new Set();
  onRemove = () => {};
  stop = new AbortController();
  ended = Promise.resolve();
});

afterEach(async () => {
  stop.abort();
  await ended;
  assert.equal(clock.pendingTimers, 0);
});

function create(policy: Partial<ImageCollectionPolicy> = {}): ImageCollector {
  return new ImageCollector({
    kit: { clock, logger, events },
    images: {
      listImages: async () => {
        listings++;
        return images.all;
      },
      removeImage: async (id) => {
        const { repoTags = [], sizeBytes = 0 } = images.find(id) ?? {};
        if (failing.has(repoTags[0] ?? ''))
          throw new AgentError('unavailable', `cannot remove ${repoTags[0]}`);
        images.remove(id);
        onRemove();
        disk = { ...disk, availableBytes: disk.availableBytes + sizeBytes };
      },
      imageFsInfo: async () => ({
        images: [{ mountpoint: '/images', usedBytes: 0, inodesUsed: 0, timestampMs: 0 }],
        containers: [],
      }),
    },
    reader: { listUsedImages: async () => containers },
    fileSystems: {
      readFileSystem: async () => ({ ...disk, atMs: 0, device: 'd', usedBytes: 0, inodes: 0, inodesFree: 0 }),
    },
    meter: { collected: (reason) => void collected.push(reason) },
    policy: { ...POLICY, ...policy },
    readPods: () => pods,
    pruneRecords: async (kept) => void pruned.push(kept),
  });
}

function start(policy: Partial<ImageCollectionPolicy> = {}): ImageCollector {
  const collector = create(policy);
  ended = collector.run(stop.signal);
  return collector;
}

function containerOf(image: string, state: ObservedContainer['state'] = 'exited'): ObservedContainer {
  return {
    ...{
      id: toContainerId(`c-${image}`),
      podUid: toPodUid('u'),
      sandboxId: toSandboxId('s'),
      name: 'c',
      state,
    },
    ...{ createdAtMs: 0, image, imageId: images.find(image)?.id ?? '', labels: {}, annotations: {} },
  };
}

const tags = (): string[] => images.all.flatMap(({ repoTags }) => repoTags.slice(0, 1)).sort();

describe('ImageCollector', () => {
  it('deletes unused images until the disk is below its low threshold, and forgets their pulls', async () => {
    for (const name of ['r.io/used:1', 'r.io/a:1', 'r.io/b:1', 'r.io/c:1'])
      images.add(name, { sizeBytes: 4_000_000 });
    images.add('r.io/pinned:1', { pinned: true, sizeBytes: 4_000_000 });
    containers = [containerOf('r.io/used:1')];
    start();
    await clock.advance(0);
    disk.availableBytes = 13_000_000;
    await clock.advance(5 * MINUTE);
    await clock.settle();
    assert.deepEqual(tags(), ['r.io/c:1', 'r.io/pinned:1', 'r.io/used:1']);
    assert.deepEqual(collected, ['space', 'space']);
    assert.equal(pruned.length, 1);
    assert.equal(pruned[0]?.has(images.find('r.io/used:1')?.id ?? ''), true);
    assert.deepEqual(events.nodeEvents, []);
  });

  it('says what it could not free, and in a second row that it failed', async () => {
    start();
    disk.availableBytes = 5_000_000;
    await clock.advance(5 * MINUTE);
    await clock.settle();
    const [first, second, third] = events.nodeEvents;
    assert.equal(first?.reason, 'FreeDiskSpaceFailed');
    assert.match(first?.message ?? '', /\(95% of 95\.4 MiB used\).*\(freed 0 bytes\)/);
    assert.equal(second?.reason, 'FreeDiskSpaceFailed');
    assert.deepEqual([third?.reason, third?.message], ['ImageGCFailed', second?.message]);
  });

  it('reports a disk without capacity', async () => {
    disk.capacityBytes = 0;
    start();
    await clock.advance(0);
    const [event] = events.nodeEvents;
    const text = 'invalid capacity 0 on image filesystem';
    assert.deepEqual([event?.type, event?.reason, event?.message], ['Warning', 'InvalidDiskCapacity', text]);
  });

  it('deletes what was not used for too long, once it has watched so long itself', async () => {
    images.add('r.io/old:1');
    images.add('r.io/used:1');
    containers = [containerOf('r.io/used:1')];
    start({ maxAgeMs: 7 * MINUTE });
    await clock.advance(6 * MINUTE);
    assert.deepEqual(tags(), ['r.io/old:1', 'r.io/used:1']);
    await clock.advance(5 * MINUTE);
    assert.deepEqual(tags(), ['r.io/used:1']);
    assert.deepEqual(collected, ['age']);
  });

  it('never deletes by itself when threshold and age are off, but does when eviction asks', async () => {
    images.add('r.io/a:1');
    disk.availableBytes = 0;
    const collector = start({ highPercent: 100 });
    await clock.advance(20 * MINUTE);
    assert.deepEqual(tags(), ['r.io/a:1']);
    assert.deepEqual(events.nodeEvents, []);
    images.add('r.io/young:1');
    await collector.removeUnusedImages(stop.signal);
    assert.deepEqual(tags(), ['r.io/young:1']);
    assert.deepEqual(collected, ['space']);
  });

  it('goes on past an image that cannot be deleted, and reports it', async () => {
    for (const name of ['r.io/a:1', 'r.io/b:1']) images.add(name);
    failing.add('r.io/a:1');
    const collector = create({ minAgeMs: 0 });
    await assert.rejects(collector.removeUnusedImages(stop.signal), /cannot remove r\.io\/a:1/);
    assert.deepEqual(tags(), ['r.io/a:1']);
  });

  it('keeps images of pods that are about to start, and of volumes', async () => {
    for (const name of ['r.io/main:1', 'r.io/data:1', 'r.io/other:1']) images.add(name);
    const pod = samplePod();
    const spec = {
      ...pod.spec,
      containers: [{ name: 'c', image: 'r.io/main:1' }],
      volumes: [{ name: 'v', image: { reference: 'r.io/data:1' } }],
    };
    pods = [{ ...pod, spec }];
    await create({ minAgeMs: 0 }).removeUnusedImages(stop.signal);
    assert.deepEqual(tags(), ['r.io/data:1', 'r.io/main:1']);
  });

  it('does not delete an image that came into use meanwhile', async () => {
    for (const name of ['r.io/a:1', 'r.io/b:1']) images.add(name);
    const collector = create({ minAgeMs: 0 });
    const started = { uid: toPodUid('u'), sandboxes: [], containers: [containerOf('r.io/b:1', 'running')] };
    onRemove = () => collector.noteRead(started);
    await collector.removeUnusedImages(stop.signal);
    assert.deepEqual(tags(), ['r.io/b:1']);
  });

  it('looks within a minute when a container has an image it does not know', async () => {
    const collector = start();
    await clock.advance(2 * MINUTE);
    assert.equal(listings, 1);
    images.add('r.io/new:1');
    const pod = { uid: toPodUid('u'), sandboxes: [], containers: [containerOf('r.io/new:1', 'running')] };
    collector.noteRead(pod);
    await clock.advance(1_000);
    assert.equal(listings, 2);
    collector.noteRead(pod);
    await clock.advance(4 * MINUTE);
    assert.equal(listings, 2);
  });

  it('reports what a collection would delete, without deleting it', async () => {
    for (const name of ['r.io/a:1', 'r.io/b:1']) images.add(name, { sizeBytes: 4_000_000 });
    disk.availableBytes = 15_000_000;
    const report = await create({ minAgeMs: 0 }).report(stop.signal);
    assert.equal(report.wouldRemove.length, 2);
    assert.deepEqual(report.space, { kind: 'free', usedPercent: 85, bytesToFree: 5_000_000 });
    assert.equal(tags().length, 2);
  });
});
