import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { ImageInfo } from '../../ports/runtime/image-service.ts';
import { PullRecords } from './pull-records.ts';

const ROOT = '/var/lib/kubelet';
const PULLING = `${ROOT}/image_manager/pulling`;
const PULLED = `${ROOT}/image_manager/pulled`;
const IMAGE = 'a.example/app:1';
const REF = 'sha256:app';
const SECRET = { uid: 'u', namespace: 'n', name: 's', credentialHash: 'h' };
const BY_SECRET = { kind: 'pulled', imageRef: REF, credentials: { kubernetesSecrets: [SECRET] } } as const;
const fileOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('hex')}`;
const info = (id: string, ...repoTags: string[]): ImageInfo => ({
  id,
  repoTags,
  repoDigests: [],
  sizeBytes: 1,
  pinned: false,
});

async function setUp(images: readonly ImageInfo[] = [], files = new FakeFiles()) {
  const clock = new FakeClock({ startMs: Date.UTC(2026, 0, 1) });
  const logger = new RecordingLogger();
  const kept: [intents: number, records: number][] = [];
  const meter = { recordsKept: (...numbers: [number, number]) => void kept.push(numbers) };
  const listImages = async () => images;
  const records = new PullRecords({ files, rootDir: ROOT, listImages, clock, logger, meter });
  await records.load();
  const names = (directory: string): string[] => files.disk.namesIn(directory);
  return { clock, files, logger, records, names, kept };
}

describe('PullRecords', () => {
  it('an intent is on disk before the pull and gone after its record, both for root only', async () => {
    const t = await setUp();
    await t.records.begin(IMAGE, undefined);
    assert.deepEqual(t.names(PULLING), [fileOf(IMAGE)]);
    assert.equal(t.records.hasIntent(IMAGE, info(REF)), true);
    await t.records.end(IMAGE, BY_SECRET);
    assert.deepEqual([t.names(PULLING), t.names(PULLED)], [[], [fileOf(REF)]]);
    assert.equal(t.records.hasIntent(IMAGE, info(REF)), false);
    const entry = t.files.disk.entries.get(`${PULLED}/${fileOf(REF)}`);
    assert.ok(entry?.kind === 'file');
    assert.equal(entry.mode, 0o600);
    assert.equal((t.files.disk.entries.get(PULLED) as { mode: number }).mode, 0o700);
    assert.deepEqual(JSON.parse(entry.content), {
      kind: 'ImagePulledRecord',
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      lastUpdatedTime: '2026-01-01T00:00:00Z',
      imageRef: REF,
      credentialMapping: { 'a.example/app': { kubernetesSecrets: [SECRET] } },
    });
  });

  it('counts intents and records after every change', async () => {
    const t = await setUp();
    await t.records.begin(IMAGE, undefined);
    await t.records.end(IMAGE, BY_SECRET);
    assert.deepEqual(t.kept, [
      [0, 0],
      [1, 0],
      [0, 1],
    ]);
  });

  it('pulls of one image at the same time share the intent; the last one takes it away', async () => {
    const t = await setUp();
    await Promise.all([t.records.begin(IMAGE, undefined), t.records.begin(IMAGE, undefined)]);
    await t.records.end(IMAGE, { kind: 'failed' });
    assert.deepEqual(t.names(PULLING), [fileOf(IMAGE)]);
    await t.records.end(IMAGE, { kind: 'failed' });
    assert.deepEqual(t.names(PULLING), []);
  });

  it('a pull whose outcome is unknown keeps its intent, whatever later pulls without credentials do', async () => {
    const t = await setUp();
    await t.records.begin(IMAGE, undefined);
    await t.records.end(IMAGE, { kind: 'unknown' });
    await t.records.begin(IMAGE, REF);
    await t.records.end(IMAGE, { kind: 'failed' });
    assert.deepEqual([t.records.hasIntent(IMAGE, info(REF)), t.names(PULLING)], [true, [fileOf(IMAGE)]]);
    await t.records.begin(IMAGE, REF);
    await t.records.end(IMAGE, BY_SECRET);
    assert.deepEqual([t.records.hasIntent(IMAGE, info(REF)), t.names(PULLING)], [false, []]);
  });

  it('an image that was there before an unheard pull did not come by it', async () => {
    const t = await setUp();
    await t.records.begin(IMAGE, REF);
    await t.records.end(IMAGE, { kind: 'unknown' });
    assert.equal(t.records.hasIntent(IMAGE, info(REF)), false);
    assert.equal(t.records.hasIntent(IMAGE, info('sha256:new')), true);
  });

  it('an intent is found under every spelling of the name', async () => {
    const t = await setUp();
    await t.records.begin('app', undefined);
    for (const image of ['app', 'app:latest', 'docker.io/library/app:latest'])
      assert.equal(t.records.hasIntent(image, info(REF)), true, image);
    assert.equal(
      t.records.hasIntent('sha256:abc', info(REF, 'docker.io/library/app:latest')),
      true,
      'by identity',
    );
    for (const image of ['app:1', 'b.example/app'])
      assert.equal(t.records.hasIntent(image, info(REF)), false, image);
  });

  it('a record that cannot be written leaves the intent', async () => {
    const t = await setUp();
    await t.records.begin(IMAGE, undefined);
    t.files.faults.add({ errno: 'ENOSPC', under: PULLED, times: 1 });
    await t.records.end(IMAGE, BY_SECRET);
    assert.deepEqual([t.records.hasIntent(IMAGE, info(REF)), t.records.recordOf(REF)], [true, 'none']);
    await t.records.begin(IMAGE, REF);
    await t.records.end(IMAGE, BY_SECRET);
    assert.equal(t.records.hasIntent(IMAGE, info(REF)), false);
  });

  it('no pull may begin without its intent', async () => {
    const t = await setUp();
    t.files.faults.add({ errno: 'EIO', op: 'writeFile', times: 1 });
    await assert.rejects(t.records.begin(IMAGE, undefined), /input\/output error/);
    assert.equal(t.records.hasIntent(IMAGE, info(REF)), false);
    await t.records.begin(IMAGE, undefined);
  });

  describe('after a start', () => {
    it('knows what was known', async () => {
      const before = await setUp();
      await before.records.begin(IMAGE, undefined);
      await before.records.end(IMAGE, BY_SECRET);
      const t = await setUp([], before.files);
      assert.deepEqual(t.records.recordOf(REF), before.records.recordOf(REF));
      assert.equal(t.records.recordOf('sha256:other'), 'none');
    });

    it('an image whose pull was cut short by a kill is ours, with unknown credentials', async () => {
      const before = await setUp();
      await before.records.begin('app', undefined);
      await before.records.begin('b.example/other:1', undefined);
      const t = await setUp([info(REF, 'docker.io/library/app:latest')], before.files);
      const record = t.records.recordOf(REF);
      assert.ok(typeof record === 'object');
      assert.deepEqual(record.credentialMapping, {});
      assert.equal(t.records.hasIntent('app', info(REF)), false);
      assert.equal(t.records.hasIntent('b.example/other:1', info('sha256:late')), true, 'it may still come');
    });

    it('trusts no record that it cannot read, and replaces it by the next pull', async () => {
      const { files } = await setUp();
      await files.makeDirectory(PULLED, 0o700);
      await files.writeFile(`${PULLED}/${fileOf(REF)}`, '{"kind":', 0o600);
      const t = await setUp([], files);
      assert.equal(t.records.recordOf(REF), 'unreadable');
      assert.equal(t.logger.lines.length, 1);
      await t.records.begin(IMAGE, REF);
      await t.records.end(IMAGE, BY_SECRET);
      assert.notEqual(t.records.recordOf(REF), 'unreadable');
    });

    it('trusts no record under the name of another', async () => {
      const before = await setUp();
      await before.records.begin(IMAGE, undefined);
      await before.records.end(IMAGE, BY_SECRET);
      const entry = before.files.disk.entries.get(`${PULLED}/${fileOf(REF)}`);
      assert.ok(entry);
      before.files.disk.put(`${PULLED}/${fileOf('sha256:other')}`, entry);
      const t = await setUp([], before.files);
      assert.equal(t.records.recordOf('sha256:other'), 'unreadable');
    });

    it('trusts nothing and pulls nothing while the records cannot be read, and goes on when they can', async () => {
      const files = new FakeFiles();
      const before = await setUp([], files);
      await before.records.begin(IMAGE, undefined);
      await before.records.end(IMAGE, BY_SECRET);
      const fault = files.faults.add({ errno: 'EIO', op: 'listDirectory' });
      const t = await setUp([], files);
      assert.equal(t.records.recordOf(REF), 'unreadable');
      await assert.rejects(t.records.begin('other:1', undefined), /input\/output error/);
      fault[Symbol.dispose]();
      await t.records.begin('other:1', undefined);
      assert.deepEqual(t.records.recordOf(REF), before.records.recordOf(REF));
    });

    it('brings records of an older version up to date', async () => {
      const before = await setUp();
      await before.records.begin(IMAGE, undefined);
      await before.records.end(IMAGE, BY_SECRET);
      const path = `${PULLED}/${fileOf(REF)}`;
      const text = (await before.files.readFile(path)) ?? '';
      await before.files.writeFile(path, text.replace('v1beta1', 'v1alpha1'), 0o600);
      await before.files.writeFile(`${PULLED}/.tmp-1`, 'half', 0o600);
      const t = await setUp([], before.files);
      assert.equal(await t.files.readFile(path), text);
      assert.equal(typeof t.records.recordOf(REF), 'object');
    });
  });

  it('forgets images that were collected, but not those pulled meanwhile', async () => {
    const t = await setUp();
    const pull = async (ref: string): Promise<void> => {
      await t.records.begin(ref, undefined);
      await t.records.end(ref, { ...BY_SECRET, imageRef: ref });
    };
    await pull('sha256:old');
    await pull('sha256:kept');
    await t.clock.advance(10_000);
    const beganMs = t.clock.now();
    await pull('sha256:new');
    await t.records.prune(new Set(['sha256:kept']), beganMs);
    assert.deepEqual(t.names(PULLED), ['sha256:kept', 'sha256:new'].map(fileOf).sort());
    assert.equal(t.records.recordOf('sha256:old'), 'none');
  });
});
