import assert from 'node:assert/strict';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { CertificateFiles } from './certificate-files.ts';
import { createSelfSigned } from './self-signed-certificate.ts';

let clock: FakeClock;
let parent: string;
let directory: string;
beforeEach(() => {
  clock = new FakeClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5) });
  parent = mkdtempSync(join(tmpdir(), 'certificates-'));
  directory = join(parent, 'pki');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const make = (fallback?: { certificate: string; key: string }): CertificateFiles =>
  new CertificateFiles({
    directory,
    prefix: 'kubelet-client',
    clock,
    ...(fallback === undefined ? {} : { fallback }),
  });

describe('CertificateFiles', () => {
  it('stores a pair under the time, with a link to it, and reads it again', async () => {
    const { certificate, key } = createSelfSigned('one', clock.now());
    assert.equal(await make().read(), undefined);
    const written = await make().write(certificate, key);
    const file = join(directory, 'kubelet-client-2026-01-02-03-04-05.pem');
    assert.equal(readFileSync(file, 'utf8'), certificate + key);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(readlinkSync(make().currentPath), file);
    assert.deepEqual(await make().read(), written);
    assert.equal(written.notAfterMs - written.notBeforeMs, 365 * 24 * 3600_000);
  });

  it('moves the link to a newer pair and keeps the older file', async () => {
    const [one, two] = [createSelfSigned('one', clock.now()), createSelfSigned('two', clock.now())];
    await make().write(one.certificate, one.key);
    await clock.advance(1000);
    await make().write(two.certificate, two.key);
    assert.equal((await make().read())?.certificate, two.certificate);
    assert.deepEqual(readdirSync(directory).toSorted(), [
      'kubelet-client-2026-01-02-03-04-05.pem',
      'kubelet-client-2026-01-02-03-04-06.pem',
      'kubelet-client-current.pem',
    ]);
  });

  it('refuses a certificate and key that do not match and keeps what is stored', async () => {
    const [one, two] = [createSelfSigned('one', clock.now()), createSelfSigned('two', clock.now())];
    await make().write(one.certificate, one.key);
    await assert.rejects(make().write(two.certificate, one.key), /does not belong/);
    await assert.rejects(make().write('', one.key), /no PEM certificate/);
    assert.equal((await make().read())?.certificate, one.certificate);
  });

  it('falls back to the configured pair and to the plain names, in this order', async () => {
    const [one, two, three] = ['one', 'two', 'three'].map((name) => createSelfSigned(name, clock.now()));
    const put = (name: string, text = ''): string => {
      const path = join(parent, name);
      writeFileSync(path, text);
      return path;
    };
    const configured = { certificate: put('c.crt', two?.certificate), key: put('c.key', two?.key) };
    directory = parent;
    put('kubelet-client.crt', one?.certificate);
    put('kubelet-client.key', one?.key);
    assert.equal((await make().read())?.certificate, one?.certificate);
    assert.equal((await make(configured).read())?.certificate, two?.certificate);
    await make(configured).write(three?.certificate ?? '', three?.key ?? '');
    assert.equal((await make(configured).read())?.certificate, three?.certificate);
    // A dangling link is not a certificate.
    unlinkSync(join(parent, 'kubelet-client-2026-01-02-03-04-05.pem'));
    assert.equal((await make(configured).read())?.certificate, two?.certificate);
  });

  it('does not touch a file that stands where the link belongs', async () => {
    directory = parent;
    const { certificate, key } = createSelfSigned('one', clock.now());
    writeFileSync(make().currentPath, 'mine');
    await assert.rejects(make().write(certificate, key), /not a symbolic link/);
    await assert.rejects(make().read(), /not a symbolic link/);
    assert.equal(readFileSync(make().currentPath, 'utf8'), 'mine');
  });
});
