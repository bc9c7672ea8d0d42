import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { readRunManifests } from './read-run-manifests.ts';

const pod = (name: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec: { containers: [{ name: a, image: x }] }\n`;
const nothing = (): Readable => Readable.from([]);

describe('readRunManifests', () => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'run-manifests-'));
    await mkdir(join(directory, 'many'));
    await mkdir(join(directory, 'empty'));
    await writeFile(join(directory, 'one.yaml'), pod('one'));
    await writeFile(join(directory, 'many', 'a.yaml'), pod('a'));
    await writeFile(join(directory, 'many', 'b.json'), pod('b'));
    await writeFile(join(directory, 'many', 'README.md'), '# not a manifest: [');
    await writeFile(join(directory, 'bad.yaml'), 'kind: Pod\nspec: [');
  });
  after(() => rm(directory, { recursive: true }));
  const read = (words: readonly string[], stdin = nothing()) =>
    readRunManifests(
      words.map((word) => (word === '-' ? word : join(directory, word))),
      stdin,
      'n1',
    );

  it('takes files, the manifests of directories and standard input', async () => {
    const { pods, problems, manifests } = await read(
      ['one.yaml', 'many', '-'],
      Readable.from([Buffer.from(pod('in'))]),
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(
      pods.map(({ metadata }) => metadata.name),
      ['one-n1', 'a-n1', 'b-n1', 'in-n1'],
    );
    assert.deepEqual(
      manifests.map(({ name }) => name),
      ['000-one-yaml.yaml', '001-a-yaml.yaml', '002-b-json.yaml', '003-standard-input.yaml'],
    );
  });

  for (const [words, problem] of [
    [['bad.yaml'], /bad\.yaml:/],
    [['missing.yaml'], /missing\.yaml: cannot read it: ENOENT/],
    [['empty'], /holds no \.yaml/],
    [['-'], /standard input: the file is empty/],
    [['one.yaml', 'many/../one.yaml', 'many/../bad.yaml'], /./],
  ] as const)
    it(`refuses ${words.join(' ')}`, async () => {
      const { problems } = await read(words);
      assert.match(problems.join('\n'), problem);
    });

  it('refuses a pod that is in two manifests', async () => {
    const { problems } = await read(['one.yaml', '-'], Readable.from([Buffer.from(pod('one'))]));
    assert.match(problems.join('\n'), /"one-n1_default" is in two manifests/);
  });

  it('reads no more of standard input than a manifest may have', async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1024 * 1024, 0x20);
      })(),
    );
    assert.match((await read(['-'], endless)).problems.join(), /larger than 10 MiB/);
  });
});
