// The offline image builder: what the runtime will read from the archive, and that rebuilding changes nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeImage, toImageConfig } from './make-image.ts';

describe('makeImage', () => {
  let work = '';
  before(() => {
    work = mkdtempSync(join(tmpdir(), 'make-image-'));
    mkdirSync(join(work, 'rootfs/bin'), { recursive: true });
    writeFileSync(join(work, 'rootfs/bin/app'), '#!/bin/sh\n', { mode: 0o755 });
  });
  after(() => rmSync(work, { recursive: true }));

  const readMember = (archive: string, member: string) =>
    JSON.parse(execFileSync('tar', ['-xOf', archive, member], { encoding: 'utf8' }));
  const blobPath = (digest: string) => `./blobs/${digest.replace(':', '/')}`;

  it('writes an archive whose index names the image and leads to its configuration', () => {
    const output = join(work, 'app.tar');
    const digest = makeImage({
      name: 'localhost/app:1',
      rootfs: join(work, 'rootfs'),
      output,
      entrypoint: ['/bin/app'],
    });
    const [entry] = readMember(output, './index.json').manifests;
    assert.equal(entry.digest, digest);
    assert.equal(entry.annotations['io.containerd.image.name'], 'localhost/app:1');
    const manifest = readMember(output, blobPath(digest));
    const config = readMember(output, blobPath(manifest.config.digest));
    assert.deepEqual(config.config.Entrypoint, ['/bin/app']);
    assert.deepEqual(config.rootfs.diff_ids, [manifest.layers[0].digest]);
  });

  it('gives the same digest for the same files whenever they were written', () => {
    const options = {
      name: 'localhost/app:1',
      rootfs: join(work, 'rootfs'),
      output: join(work, 'again.tar'),
    };
    const first = makeImage(options);
    utimesSync(join(work, 'rootfs/bin/app'), 1, 1_000_000);
    assert.equal(makeImage(options), first);
  });

  it('leaves nothing behind when the directory does not exist', () => {
    const out = join(work, 'none');
    assert.throws(() => makeImage({ name: 'x', rootfs: join(work, 'absent'), output: join(out, 'x.tar') }));
    assert.deepEqual(readdirSync(out), []);
  });
});

describe('toImageConfig', () => {
  it('leaves out what was not asked for and keeps a PATH before the given environment', () => {
    const options = { name: 'x', rootfs: '/', output: 'x', env: ['A=1'], expose: ['80/tcp'], user: '65534' };
    const { config } = toImageConfig(options, 'sha256:0', 'amd64') as {
      config: Record<string, unknown> & { Env: string[] };
    };
    assert.match(config.Env[0] ?? '', /^PATH=/);
    assert.equal(config.Env[1], 'A=1');
    assert.deepEqual(config['ExposedPorts'], { '80/tcp': {} });
    assert.equal(config['User'], '65534');
    assert.ok(!('Entrypoint' in config) && !('Cmd' in config) && !('Labels' in config));
  });
});
