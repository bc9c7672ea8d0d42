import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { hasCode } from '../../../base/errors.ts';
import { CheckpointFiles, parseCheckpoint, renderCheckpoint } from './checkpoint-files.ts';

describe('parseCheckpoint', () => {
  it('gives back any JSON document that was rendered', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const document: unknown = JSON.parse(JSON.stringify(value));
        assert.deepEqual(parseCheckpoint(renderCheckpoint(document)), { document });
      }),
    );
  });

  it('finds a change of any byte of the data', () => {
    const text = renderCheckpoint({ restarts: 12, uid: 'abc' });
    for (let at = text.indexOf('12'); at < text.lastIndexOf('}}'); at++) {
      const changed = text.slice(0, at) + (text[at] === '7' ? '8' : '7') + text.slice(at + 1);
      assert.ok('problem' in parseCheckpoint(changed), changed);
    }
  });

  for (const [what, text, problem] of [
    ['an empty file', '', /not JSON/],
    ['a cut file', renderCheckpoint({ a: 1 }).slice(0, -3), /not JSON/],
    ['a file without wrapper', '{"a":1}', /checksum or data is missing/],
    ['null', 'null', /checksum or data is missing/],
    ['a wrong checksum', '{"checksum":"sha256:00","data":1}', /does not match/],
  ] as const)
    it(`reports ${what}`, () => {
      const parsed = parseCheckpoint(text);
      assert.ok('problem' in parsed);
      assert.match(parsed.problem, problem);
    });
});

describe('CheckpointFiles', () => {
  let base: string;
  let directory: string;
  let files: CheckpointFiles;
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'checkpoints-'));
    directory = join(base, 'state', 'agent');
    files = new CheckpointFiles(directory);
  });
  afterEach(() => rm(base, { recursive: true }));

  it('reads undefined when there is nothing', async () => {
    assert.equal(await files.read('pods'), undefined);
  });

  it('reads what was written, from private files only', async () => {
    await files.write('pods', { a: [1, 'two', null] });
    await files.write('pods', { b: true });
    assert.deepEqual(await new CheckpointFiles(directory).read('pods'), { b: true });
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    assert.equal((await stat(join(directory, 'pods'))).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(directory), ['pods']);
  });

  it('keeps the last of writes that overlap, as it was when asked for', async () => {
    const document = { n: 0 };
    const writes: Promise<void>[] = [];
    for (let n = 1; n <= 20; n++) {
      document.n = n;
      writes.push(files.write('counter', document));
    }
    document.n = -1;
    await Promise.all(writes);
    assert.deepEqual(await files.read('counter'), { n: 20 });
  });

  it('rejects a damaged file and names it', async () => {
    await files.write('pods', { a: 1 });
    const path = join(directory, 'pods');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"a":1', '"a":2'));
    await assert.rejects(files.read('pods'), (error) => {
      assert.ok(hasCode(error, 'failed-precondition'));
      assert.equal(
        error.message,
        `cannot read checkpoint "${path}": the file is damaged: the checksum does not match`,
      );
      return true;
    });
  });

  it('rejects what cannot be read or written', async () => {
    await writeFile(join(base, 'state'), '');
    await assert.rejects(files.write('pods', 1), /cannot write checkpoint ".*pods": not a directory/);
    await assert.rejects(files.read('pods'), /cannot read checkpoint ".*pods": not a directory/);
  });

  it('writes again after a write that failed', async () => {
    await writeFile(join(base, 'state'), '');
    await assert.rejects(files.write('pods', 1));
    await rm(join(base, 'state'));
    await files.write('pods', 2);
    assert.equal(await files.read('pods'), 2);
  });

  it('keeps the mode of a directory that exists', async () => {
    await files.write('pods', 1);
    await chmod(directory, 0o750);
    await files.write('pods', 2);
    assert.equal((await stat(directory)).mode & 0o777, 0o750);
  });

  for (const name of ['', '.', '..', '.hidden', '../x', 'a/b', 'a\0b'])
    it(`refuses the name ${JSON.stringify(name)}`, async () => {
      await assert.rejects(files.write(name, 1), (error) => hasCode(error, 'invalid-argument'));
      await assert.rejects(files.read(name), (error) => hasCode(error, 'invalid-argument'));
    });

  it('refuses a document that has no JSON', async () => {
    await assert.rejects(files.write('pods', undefined), (error) => hasCode(error, 'invalid-argument'));
  });
});
