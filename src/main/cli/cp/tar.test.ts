import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { placeFiles, toPlaceNames } from './place-files.ts';
import { readTar } from './tar-reader.ts';
import { writeTar } from './tar-writer.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kts-'));
  for (const name of ['from', 'to', 'outside']) await mkdir(join(root, name));
});
afterEach(() => rm(root, { recursive: true }));

const QUIET = { onFile: () => {}, onBytes: () => {}, onSkipped: () => {} };

async function collect(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

async function* inPieces(archive: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < archive.length; at += length) yield archive.subarray(at, at + length);
}

const tar = (...args: string[]): Buffer =>
  execFileSync('tar', ['-cf', '-', '-C', join(root, 'from'), ...args]);
const extract = (archive: Buffer, source = 'x', pieces = 700): Promise<void> =>
  placeFiles(readTar(inPieces(archive, pieces)), { directory: join(root, 'to'), name: 'y', source }, QUIET);

/** One header with a name of the attacker's, and a body. */
function entry(name: string, type: string, body = '', link = ''): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
  block.write(type, 156);
  block.write(link, 157);
  block.fill(0x20, 148, 156);
  block.write(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  );
  return Buffer.concat([block, Buffer.from(body), Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

describe('an archive of tar', () => {
  const long = `${'d'.repeat(90)}/${'ü'.repeat(60)}`;

  async function makeTree(): Promise<void> {
    await mkdir(join(root, 'from/x/sub', 'd'.repeat(90)), { recursive: true });
    await writeFile(join(root, 'from/x/a'), 'one');
    await writeFile(join(root, 'from/x/empty'), '');
    await writeFile(join(root, 'from/x/sub/big'), Buffer.alloc(400_000, 7));
    await writeFile(join(root, 'from/x/sub', long), 'deep');
  }

  for (const format of ['gnu', 'ustar', 'posix', 'v7'])
    it(`in the format ${format} is written below the directory`, async () => {
      await makeTree();
      if (format === 'v7' || format === 'ustar')
        await rm(join(root, 'from/x/sub', 'd'.repeat(90)), { recursive: true });
      await extract(tar(`--format=${format}`, './x'));
      assert.equal(await readFile(join(root, 'to/y/a'), 'utf8'), 'one');
      assert.equal((await readFile(join(root, 'to/y/sub/big'))).length, 400_000);
      if (format === 'gnu' || format === 'posix')
        assert.equal(await readFile(join(root, 'to/y/sub', long), 'utf8'), 'deep');
    });

  it('is read whatever the pieces are that it comes in', async () => {
    await makeTree();
    const archive = tar('./x/a', './x/empty');
    for (const length of [1, 511, 513, 100_000]) {
      await extract(archive, 'x', length);
      assert.equal(await readFile(join(root, 'to/y/a'), 'utf8'), 'one');
    }
  });

  it('that we write is read by tar', async () => {
    await makeTree();
    await symlink('a', join(root, 'from/x/link'));
    const files: string[] = [];
    const view = { onFile: ({ path }: { path: string }) => files.push(path), onSkipped: () => {} };
    const archive = await collect(writeTar(join(root, 'from/x'), './z', view));
    execFileSync('tar', ['-xf', '-', '-C', join(root, 'to')], { input: archive });
    assert.equal(await readFile(join(root, 'to/z/link'), 'utf8'), 'one');
    assert.equal(await readFile(join(root, 'to/z/sub', long), 'utf8'), 'deep');
    assert.equal(files.length, 4);
  });

  it('leaves out sockets and pipes, and names them', async () => {
    execFileSync('mkfifo', [join(root, 'from/pipe')]);
    const skipped: string[] = [];
    const archive = await collect(
      writeTar(join(root, 'from'), './z', { onFile: () => {}, onSkipped: (path) => skipped.push(path) }),
    );
    assert.deepEqual(skipped, [join(root, 'from/pipe')]);
    assert.deepEqual(execFileSync('tar', ['-tf', '-'], { input: archive }).toString(), './z/\n');
  });
});

describe('placeFiles with a hostile archive', () => {
  const end = Buffer.alloc(1024);
  const nothingOutside = async (): Promise<void> =>
    assert.deepEqual(await readdir(join(root, 'outside')), []);

  for (const path of [
    '../outside/a',
    './x/../../outside/a',
    '/etc/passwd',
    'other',
    'x/a/../../../outside/a',
  ])
    it(`refuses ${path}`, async () => {
      await assert.rejects(extract(Buffer.concat([entry(path, '0', 'evil'), end])), /was not asked for/);
      await nothingOutside();
      assert.deepEqual(await readdir(join(root, 'to')), []);
    });

  it('makes no link, and writes nothing through one of its own', async () => {
    const link = entry('./x/l', '2', '', join(root, 'outside'));
    const skipped: string[] = [];
    const archive = Buffer.concat([
      entry('./x/', '5'),
      link,
      entry('./x/h', '1', '', '/etc/passwd'),
      entry('./x/l/a', '0', 'evil'),
      end,
    ]);
    await placeFiles(
      readTar(inPieces(archive, 512)),
      { directory: join(root, 'to'), name: 'y', source: 'x' },
      { ...QUIET, onSkipped: (path) => skipped.push(path) },
    );
    await nothingOutside();
    assert.deepEqual(skipped, ['./x/l', './x/h']);
    assert.ok((await lstat(join(root, 'to/y/l'))).isDirectory());
  });

  for (const [what, link, path] of [
    ['directory', 'y', './x/a'],
    ['file', 'y/a', './x/a'],
    ['directory in it', 'y/d', './x/d/a'],
  ] as const)
    it(`follows no link that was there before in place of a ${what}`, async () => {
      if (link !== 'y') await mkdir(join(root, 'to/y'));
      await writeFile(join(root, 'outside/a'), 'kept');
      await symlink(
        what === 'file' ? join(root, 'outside/a') : join(root, 'outside'),
        join(root, 'to', link),
      );
      await assert.rejects(extract(Buffer.concat([entry(path, '0', 'evil'), end])), /links are not followed/);
      assert.equal(await readFile(join(root, 'outside/a'), 'utf8'), 'kept');
    });

  it('gives a file no more rights than reading, writing and running', async () => {
    const header = entry('./x', '0', 'text');
    header.write('0006755\0', 100);
    header.fill(0x20, 148, 156);
    header.write(
      `${header
        .subarray(0, 512)
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    await extract(Buffer.concat([header, end]));
    assert.equal((await lstat(join(root, 'to/y'))).mode & 0o7000, 0);
  });

  for (const [name, archive] of [
    ['no archive', Buffer.from('sh: tar: not found\n'.repeat(50))],
    ['one that ends in a file', entry('./x', '0', 'a'.repeat(900)).subarray(0, 700)],
    [
      'one with a header that is damaged',
      Buffer.concat([Buffer.alloc(100, 65), entry('./x', '0').subarray(100)]),
    ],
    ['one with a name without end', Buffer.concat([entry('././@LongLink', 'L', 'x'.repeat(70_000)), end])],
  ] as const)
    it(`refuses ${name}`, async () => {
      await assert.rejects(extract(archive), /no archive that can be read/);
    });

  it('allocates nothing by a size that it names', async () => {
    const header = entry('./x', '0');
    header.write('77777777777\0', 124);
    header.fill(0x20, 148, 156);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    await assert.rejects(extract(header), /ends too early/);
  });
});

describe('toPlaceNames', () => {
  for (const [path, source, names] of [
    ['./x/a/b', 'x', ['a', 'b']],
    ['x', 'x', []],
    ['./', '', []],
    ['./a/./b/', '', ['a', 'b']],
  ] as const)
    it(`of ${path} below ${JSON.stringify(source)}`, () =>
      assert.deepEqual(toPlaceNames(path, source), names));
});
