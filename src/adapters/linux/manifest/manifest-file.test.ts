import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStaticPods, type StaticPods } from '../../../core/manifest/static-pod.ts';
import { ManifestFile } from './manifest-file.ts';

function content(...names: readonly string[]): StaticPods {
  const text = names.map(
    (name) =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec: {containers: [{name: c, image: i}]}\n`,
  );
  return readStaticPods(text.join('---\n'), '/m/f.yaml', 'n');
}
const BROKEN: StaticPods = { pods: [], problems: [{ file: '/m/f.yaml', path: '', message: 'broken' }] };

function names(file: ManifestFile): readonly string[] {
  return file.pods.map(({ metadata }) => metadata.name);
}

const reads = (what: StaticPods) => () => Promise.resolve(what);
const mustNotRead = () => Promise.reject(new Error('read too early'));

async function started(what: StaticPods): Promise<ManifestFile> {
  const file = new ManifestFile('/m/f.yaml');
  await file.start('v1', reads(what));
  return file;
}

test('ManifestFile reads at once when it starts and not again while nothing changes', async () => {
  const file = await started(content('a'));
  assert.deepEqual(names(file), ['a-n']);
  assert.equal(await file.look('v1', 0, mustNotRead), undefined);
});

test('ManifestFile reads changed content when it has been still for 50 ms', async () => {
  const file = await started(content('a'));
  assert.equal(await file.look('v2', 1000, mustNotRead), 1050);
  assert.equal(await file.look('v3', 1040, mustNotRead), 1090);
  assert.equal(await file.look('v3', 1090, reads(content('b'))), undefined);
  assert.deepEqual(names(file), ['b-n']);
});

test('ManifestFile reads a file that never is still after 250 ms', async () => {
  const file = await started(content('a'));
  for (let now = 1000; now < 1250; now += 40) {
    assert.ok(((await file.look(`v${now}`, now, mustNotRead)) ?? 0) <= 1250);
  }
  assert.equal(await file.look('v9', 1250, reads(content('b'))), undefined);
  assert.deepEqual(names(file), ['b-n']);
});

test('ManifestFile holds bad content back for a second, then reports it and keeps the last good pods', async () => {
  const file = await started(content('a'));
  await file.look('v2', 1000, mustNotRead);
  assert.equal(await file.look('v2', 1050, reads(BROKEN)), 2050);
  assert.deepEqual(file.problems, []);
  assert.equal(await file.look('v2', 2049, mustNotRead), 2050);
  assert.equal(await file.look('v2', 2050, mustNotRead), undefined);
  assert.deepEqual(file.problems, BROKEN.problems);
  assert.deepEqual(names(file), ['a-n']);
});

test('ManifestFile forgets bad content that becomes good within the second', async () => {
  const file = await started(content('a'));
  await file.look('v2', 1000, mustNotRead);
  await file.look('v2', 1050, reads(BROKEN));
  await file.look('v3', 1100, mustNotRead);
  await file.look('v3', 1150, reads(content('b')));
  assert.equal(await file.look('v3', 3000, mustNotRead), undefined);
  assert.deepEqual(file.problems, []);
  assert.deepEqual(names(file), ['b-n']);
});

test('ManifestFile that keeps changing from bad to bad is reported a second after the first', async () => {
  const file = await started(content('a'));
  for (let now = 1000; now <= 2100; now += 100) {
    await file.look(`v${now}`, now, mustNotRead);
    await file.look(`v${now}`, now + 50, reads(BROKEN));
  }
  assert.deepEqual(file.problems, BROKEN.problems);
});

test('ManifestFile takes the good documents of a partly bad file and keeps the last good of the rest', async () => {
  const file = await started(content('a', 'b', 'c'));
  const before = file.pods;
  await file.look('v2', 1000, mustNotRead);
  await file.look('v2', 1050, reads({ pods: content('b', 'd').pods, problems: BROKEN.problems }));
  await file.look('v2', 2050, mustNotRead);
  assert.deepEqual(names(file), ['b-n', 'd-n', 'a-n', 'c-n']);
  assert.equal(file.pods[0], before[1], 'an unchanged pod stays the same object');
});

test('ManifestFile that was removed and made again is without its pods once, and has them again', async () => {
  const file = new ManifestFile('/m/f.yaml');
  await file.start('v1', reads(content('a')), 'first');
  file.stir(2);
  await file.look('v2', 1000, mustNotRead, 'second');
  assert.equal(await file.look('v2', 1050, reads(content('a')), 'second'), 1050);
  assert.deepEqual(names(file), []);
  await file.look('v2', 1060, mustNotRead, 'second');
  assert.equal(await file.look('v2', 1110, reads(content('a')), 'second'), undefined);
  assert.deepEqual(names(file), ['a-n']);
});

test('ManifestFile keeps its pods when a file is moved over it, written in place, or moved away and back', async () => {
  const file = new ManifestFile('/m/f.yaml');
  await file.start('v1', reads(content('a')), 'first');
  const [before] = file.pods;
  const settle = async (fingerprint: string, now: number, made?: string) => {
    await file.look(fingerprint, now, mustNotRead, made);
    assert.equal(await file.look(fingerprint, now + 50, reads(content('a')), made), undefined);
    assert.equal(file.pods[0], before, fingerprint);
  };
  file.stir(1);
  await settle('moved over', 1000);
  await settle('written', 2000, 'first');
  file.stir(2);
  file.lookMissing(3000);
  await settle('away and back', 3010);
});

test('ManifestFile counts as gone when it has been missing for 50 ms, and not when it comes back', async () => {
  const file = await started(content('a'));
  assert.equal(file.lookMissing(1000), 1050);
  assert.equal(await file.look('v1', 1020, mustNotRead), undefined);
  assert.equal(file.lookMissing(1060), 1110);
  assert.equal(file.lookMissing(1110), undefined);
});
