import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { loadCredentialProviders } from './load-credential-providers.ts';

describe('loadCredentialProviders', () => {
  let directory: string;
  let binDir: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'providers-'));
    binDir = join(directory, 'bin');
    await mkdir(binDir);
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const addPlugin = (name: string, mode = 0o755): Promise<void> =>
    writeFile(join(binDir, name), '#!/bin/sh\n', { mode });
  const config = (name: string): string => `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
  - name: ${name}
    apiVersion: credentialprovider.kubelet.k8s.io/v1
    matchImages: ["*.example"]
    defaultCacheDuration: 1m
`;
  const write = async (name: string, text: string): Promise<string> => {
    const path = join(directory, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  const load = (configPath: string) => loadCredentialProviders({ configPath, binDir, allowTokens: true });
  const names = async (path: string): Promise<string[]> =>
    (await load(path))?.providers.map(({ name }) => name) ?? [];

  it('needs both settings', async () => {
    for (const paths of [
      { configPath: '/nowhere', binDir: '' },
      { configPath: '', binDir: '/nowhere' },
    ])
      assert.equal(await loadCredentialProviders({ ...paths, allowTokens: true }), undefined);
  });

  it('reads a file, and all files of a directory in their order', async () => {
    for (const name of ['a', 'b', 'c']) await addPlugin(name);
    const path = await write('one.yaml', config('a'));
    assert.deepEqual(await names(path), ['a']);
    await write('many/20.yaml', config('b'));
    await write(
      'many/30.json',
      JSON.stringify({
        apiVersion: 'kubelet.config.k8s.io/v1',
        kind: 'CredentialProviderConfig',
        providers: [],
      }),
    );
    await write('many/10.yml', config('c'));
    await write('many/notes.txt', 'not one of them');
    await write('many/deeper/40.yaml', config('a'));
    assert.deepEqual(await names(join(directory, 'many')), ['c', 'b']);
  });

  it('distinguishes configurations by a hash over the lengths and contents of the files', async () => {
    await addPlugin('a');
    const text = config('a');
    const length = Buffer.alloc(8);
    length.writeUInt32BE(text.length, 4);
    const expected = createHash('sha256').update(length).update(text).digest('hex');
    assert.equal((await load(await write('one.yaml', text)))?.configHash, `sha256:${expected}`);
  });

  const refused: [what: string, files: Record<string, string>, path: string, why: RegExp][] = [
    ['a path that is not there', {}, 'absent', /unable to access path/],
    ['an empty directory', { 'many/notes.txt': '' }, 'many', /holds no configuration files/],
    [
      'a repeated key',
      { 'one.yaml': `${config('a')}kind: CredentialProviderConfig\n` },
      'one.yaml',
      /unique/,
    ],
    ['what is no YAML', { 'one.yaml': 'a: [' }, 'one.yaml', /"\S+one\.yaml": /],
    ['an unknown field', { 'one.yaml': `${config('a')}more: 1\n` }, 'one.yaml', /more: is not known/],
    [
      'one name in two files',
      { 'many/1.yaml': config('a'), 'many/2.yaml': config('a') },
      'many',
      /duplicate provider name "a"/,
    ],
    [
      'a plugin that is not there',
      { 'one.yaml': config('absent') },
      'one.yaml',
      /executable \S+absent cannot be used/,
    ],
    [
      'a plugin that cannot be run',
      { 'one.yaml': config('plain') },
      'one.yaml',
      /executable \S+plain cannot be used/,
    ],
    ['a plugin that is a directory', { 'one.yaml': config('directory') }, 'one.yaml', /it is not a file/],
  ];
  for (const [what, files, path, why] of refused)
    it(`refuses ${what}`, async () => {
      await addPlugin('a');
      await addPlugin('plain', 0o644);
      await mkdir(join(binDir, 'directory'));
      for (const [name, text] of Object.entries(files)) await write(name, text);
      await assert.rejects(load(join(directory, path)), why);
    });

  it('refuses a directory of plugins that is not there', async () => {
    const path = await write('one.yaml', config('a'));
    await assert.rejects(
      loadCredentialProviders({ configPath: path, binDir: join(directory, 'absent'), allowTokens: true }),
      /plugin binary directory/,
    );
  });
});
