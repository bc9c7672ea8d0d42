/**
 * A real registry for a test, started by the host scripts on a free port, and
 * images for it that the runtime has never seen: each has a layer of its own.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/demo/free-port.ts';
import { makeImage } from '../../scripts/host/make-image.ts';

const run = promisify(execFile);
const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'host', 'registry.sh');
const HOST_DIR = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
/** So large that a break in the middle is one. */
const PAYLOAD_BYTES = 2 * 1024 * 1024;

interface Descriptor {
  readonly digest: string;
  readonly mediaType: string;
}

export interface RegistryAccount {
  readonly username: string;
  readonly password: string;
}

export class TestRegistry {
  readonly port: number;
  readonly #account: RegistryAccount;
  #token: string | undefined;

  private constructor(port: number, account: RegistryAccount) {
    this.port = port;
    this.#account = account;
  }

  /** Wants the account itself, or a token that the server at `realm` gives for it. */
  static async start(
    account: RegistryAccount,
    tokens?: { readonly realm: string; readonly authorityFile: string },
  ): Promise<TestRegistry> {
    const port = await freePort();
    const { username, password } = account;
    const auth =
      tokens === undefined
        ? ['--auth', `${username}:${password}`]
        : ['--token', tokens.realm, tokens.authorityFile];
    await run(SCRIPT, ['up', String(port), ...auth]);
    return new TestRegistry(port, account);
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    await run(SCRIPT, ['down', String(this.port), '--purge']);
  }

  /** Makes an image that exists nowhere else and pushes it here. Returns its name without the registry. */
  async push(): Promise<string> {
    const name = `team/app-${randomBytes(4).toString('hex')}`;
    const work = await mkdtemp(join(tmpdir(), 'registry-image-'));
    try {
      await writeRootfs(join(work, 'rootfs'));
      makeImage({ name: `${name}:1`, rootfs: join(work, 'rootfs'), output: join(work, 'image.tar') });
      await mkdir(join(work, 'layout'));
      await run('tar', ['-xf', join(work, 'image.tar'), '-C', join(work, 'layout')]);
      await this.#pushLayout(join(work, 'layout'), name);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return `${name}:1`;
  }

  async #pushLayout(layout: string, name: string): Promise<void> {
    const read = (digest: string): Promise<Buffer> =>
      readFile(join(layout, 'blobs', digest.replace(':', '/')));
    const { manifests } = JSON.parse(await readFile(join(layout, 'index.json'), 'utf8')) as {
      manifests: [Descriptor];
    };
    const manifest = await read(manifests[0].digest);
    const { config, layers } = JSON.parse(manifest.toString()) as {
      config: Descriptor;
      layers: Descriptor[];
    };
    for (const { digest } of [config, ...layers]) {
      const begun = await this.#call('POST', `/v2/${name}/blobs/uploads/`, name);
      const place = new URL(begun.headers.get('location') ?? '', `http://${this.address}`);
      place.searchParams.set('digest', digest);
      await this.#call(
        'PUT',
        `${place.pathname}${place.search}`,
        name,
        await read(digest),
        'application/octet-stream',
      );
    }
    await this.#call('PUT', `/v2/${name}/manifests/1`, name, manifest, manifests[0].mediaType);
  }

  async #call(method: string, path: string, name: string, body?: Buffer, type?: string): Promise<Response> {
    const { username, password } = this.#account;
    const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const send = (): Promise<Response> =>
      fetch(`http://${this.address}${path}`, {
        method,
        headers: {
          Authorization: this.#token === undefined ? basic : `Bearer ${this.#token}`,
          ...(type === undefined ? {} : { 'Content-Type': type }),
        },
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      });
    let answer = await send();
    const [, realm, service] =
      /Bearer realm="([^"]+)",service="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? [];
    if (answer.status === 401 && realm !== undefined) {
      const scope = `repository:${name}:push,pull`;
      const url = `${realm}?service=${service}&scope=${encodeURIComponent(scope)}`;
      const given = await fetch(url, { headers: { Authorization: basic } });
      this.#token = ((await given.json()) as { token: string }).token;
      answer = await send();
      this.#token = undefined;
    }
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
    return answer;
  }
}

async function writeRootfs(root: string): Promise<void> {
  await mkdir(join(root, 'bin'), { recursive: true });
  for (const directory of ['proc', 'sys', 'dev', 'etc', 'tmp']) await mkdir(join(root, directory));
  for (const tool of ['busybox', 'tini'])
    await cp(join(HOST_DIR, 'bin', 'tools', tool), join(root, 'bin', tool), { dereference: true });
  for (const applet of ['sh', 'sleep']) await symlink('busybox', join(root, 'bin', applet));
  await writeFile(join(root, 'payload'), randomBytes(PAYLOAD_BYTES));
}
