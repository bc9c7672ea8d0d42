import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { HostPathDriver } from './host-path.ts';

const driver = new HostPathDriver();
const server = createServer();
let host: string;

before(async () => {
  host = await mkdtemp(join(tmpdir(), 'host-path-'));
  await mkdir(join(host, 'directory'));
  await writeFile(join(host, 'file'), '');
  await symlink('directory', join(host, 'link'));
  server.listen(join(host, 'socket'));
  await once(server, 'listening');
});
after(async () => {
  server.close();
  await rm(host, { recursive: true });
});

async function mount(path: string, type?: string): Promise<string> {
  const result = await driver.mount({
    pod: samplePod(),
    volume: { name: 'v', hostPath: { path, ...(type === undefined ? {} : { type }) } },
    podUid: toPodUid('uid-1'),
    name: 'v',
    directory: '/unused',
    isRemount: false,
    signal: new AbortController().signal,
    warn: () => {},
  });
  return result.ok ? `ok ${result.value.prepared.hostPath}` : result.message;
}

const failed = (words: string) => (path: string) => `hostPath type check failed: ${path} is not ${words}`;
const ok = (path: string): string => `ok ${path}`;

describe('HostPathDriver', () => {
  const cases: [type: string | undefined, name: string, expected: (path: string) => string][] = [
    [undefined, 'missing', ok],
    ['', 'missing', ok],
    ['Directory', 'directory', ok],
    ['Directory', 'link', ok],
    ['Directory', 'file', failed('a directory')],
    ['Directory', 'missing', failed('a directory')],
    ['Directory', 'file/below', failed('a directory')],
    ['DirectoryOrCreate', 'directory', ok],
    ['DirectoryOrCreate', 'made/deep', ok],
    ['DirectoryOrCreate', 'file', failed('a directory')],
    ['File', 'file', ok],
    ['File', 'directory', failed('a file')],
    ['File', 'missing', failed('a file')],
    ['FileOrCreate', 'file', ok],
    ['FileOrCreate', 'made-file', ok],
    ['FileOrCreate', 'directory', failed('a file')],
    ['Socket', 'socket', ok],
    ['Socket', 'file', failed('a socket file')],
    ['CharDevice', '/dev/null', ok],
    ['CharDevice', 'file', failed('a character device')],
    ['BlockDevice', '/dev/null', failed('a block device')],
    ['BlockDevice', 'missing', failed('a block device')],
    ['Pipe', 'file', () => 'Pipe is an invalid volume type'],
    ['', 'a/../b', (path) => `invalid HostPath \`${path}\`: must not contain '..'`],
  ];
  for (const [type, name, expected] of cases) {
    it(`${type ?? 'no type'} of ${name}: ${expected('<path>')}`, async () => {
      const path = name.startsWith('/') ? name : `${host}/${name}`;
      assert.equal(await mount(path, type), expected(path));
    });
  }

  it('makes directories and files with their modes', async () => {
    await mount(join(host, 'new-directory'), 'DirectoryOrCreate');
    await mount(join(host, 'new-file'), 'FileOrCreate');
    assert.equal((await stat(join(host, 'new-directory'))).mode & 0o777, 0o755);
    assert.equal((await stat(join(host, 'new-file'))).mode & 0o777, 0o644);
  });

  it('makes a file only in a directory that is there', async () => {
    await assert.rejects(mount(join(host, 'nowhere', 'file'), 'FileOrCreate'), /no such file or directory/);
  });

  it('leaves the place as it is at the end', async () => {
    await driver.unmount();
    assert.ok((await stat(join(host, 'file'))).isFile());
  });
});
