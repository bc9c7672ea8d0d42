import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { AgentError } from '../../base/errors.ts';
import type { PullCredential } from '../../core/image/registry-credential.ts';
import { parseCliArguments } from '../config/cli/cli-arguments.ts';
import type { LocalClient } from './ask/local-client.ts';
import { changeImages, type ImageMeans, toImportCommand } from './cli-image-changes.ts';

describe('changeImages', () => {
  const runtime = 'unix:///run/x.sock';
  const about = { version: 'v1', manifests: '', runtimeEndpoint: runtime };

  async function ask(
    words: readonly string[],
    change: Partial<ImageMeans> = {},
    isTTY = false,
    node: object = about,
  ) {
    const asked = parseCliArguments('images', words);
    if (asked.kind !== 'command') throw new Error(JSON.stringify(asked));
    const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
    const client = { rootDir: '/k', getJson: async () => node } as unknown as LocalClient;
    const host = {
      ...{ stdin: new PassThrough(), stdout, stderr, env: {}, now: () => 0 },
      findRunning: async () => [],
      listProcesses: async () => [],
      signal: new AbortController().signal,
    };
    const means: ImageMeans = {
      connect: (endpoint) => ({
        images: { pullImage: async (image) => `${endpoint} ${image} sha256:\x1b[1m` },
        close: () => {},
      }),
      inspect: async () => ({ problem: 'away' }),
      findCredentials: async () => [],
      ...change,
    };
    const exitCode = await changeImages({ client, asked, host }, means);
    return { exitCode, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
  }

  it('pulls from the runtime of the kubelet, and does not obey what it says', async () =>
    assert.deepEqual(await ask(['pull', 'localhost/web']), {
      exitCode: 0,
      out: `localhost/web:latest: ${runtime} localhost/web:latest sha256:^[[1m\n`,
      err: '',
    }));

  it('says on a terminal what it waits for, and takes the line away', async () => {
    const { err } = await ask(['pull', 'localhost/web:1'], {}, true);
    assert.equal(err, '\r\x1b[Kpulling localhost/web:1 … 0s\r\x1b[K');
  });

  it('tries the credentials of the node one after the other', async () => {
    const seen: unknown[] = [];
    const pullImage = async (_: string, options?: { credential?: unknown }): Promise<string> => {
      seen.push(options?.credential);
      if (seen.length === 1) throw new AgentError('permission-denied', 'no');
      return 'id';
    };
    const found = ['a', 'b'].map(
      (username) => ({ username, password: 'p', source: { kind: 'node' } }) as unknown as PullCredential,
    );
    const { out } = await ask(['pull', 'x:1'], {
      connect: () => ({ images: { pullImage }, close: () => {} }),
      findCredentials: async () => found,
    });
    assert.match(out, /id\n$/);
    assert.deepEqual(
      seen.map((one) => (one as { username?: string }).username),
      ['a', 'b'],
    );
  });

  it('closes the connection when the pull fails', async () => {
    let isClosed = false;
    const pullImage = (): Promise<string> => Promise.reject(new AgentError('not-found', 'no such image'));
    const close = (): void => {
      isClosed = true;
    };
    await assert.rejects(
      ask(['pull', 'x:1'], { connect: () => ({ images: { pullImage }, close }) }),
      /no such image/,
    );
    assert.ok(isClosed);
  });

  it('refuses a name that is none', async () => {
    await assert.rejects(ask(['pull', 'UPPER']), /UPPER/);
  });

  it('answers load with the command of the runtime, and exit code 1', async () => {
    const { exitCode, err } = await ask(['load', "/a b'/x.tar"]);
    assert.equal(exitCode, 1);
    assert.match(
      err,
      /cannot import archives.*\n {2}ctr --address \/run\/x\.sock --namespace k8s\.io images import '\/a b'\\''\/x\.tar'\n/,
    );
  });

  it('says so of a kubelet that does not name its runtime', async () => {
    await assert.rejects(ask(['pull', 'x'], {}, false, { version: 'v1', manifests: '' }), /an older one/);
  });
});

describe('toImportCommand', () => {
  for (const [name, command] of [
    ['containerd', 'ctr --address /s --namespace k8s.io images import /x.tar'],
    [undefined, 'ctr --address /s --namespace k8s.io images import /x.tar'],
    ['cri-o', 'skopeo copy oci-archive:/x.tar containers-storage:NAME:TAG'],
    ['docker', 'docker load -i /x.tar'],
  ] as const)
    it(`of ${name}`, () => assert.equal(toImportCommand(name, '/s', '/x.tar'), command));
});

describe('the words of images', () => {
  for (const [words, pattern] of [
    [['pull'], /name an image: images pull IMAGE/],
    [['load'], /name an archive: images load FILE/],
    [['web'], /all images are listed, not "web"/],
    [['pull', 'a', 'b'], /too many words/],
  ] as const)
    it(`refuses ${words.join(' ')}`, () => {
      const asked = parseCliArguments('images', words);
      assert.match(asked.kind === 'usage' ? asked.problem : '', pattern);
    });
});
