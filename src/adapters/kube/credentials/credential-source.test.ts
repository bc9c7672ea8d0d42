import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../../test/fakes/recording-logger.ts';
import { type KeyPair, TestAuthority } from '../../../../test/fakes/test-certificates.ts';
import { AgentError } from '../../../base/errors.ts';
import type { CredentialFiles } from './credential-files.ts';
import { CredentialSource, type CredentialSourceSettings } from './credential-source.ts';
import type { ExecCredential } from './exec-plugin.ts';
import type { KubeUser } from './kubeconfig.ts';
import { Secret } from './secret.ts';

/** Files in memory; every write is a new fingerprint. */
class MemoryFiles implements CredentialFiles {
  readonly #files = new Map<string, { text: string; version: number }>();
  #version = 0;
  reads = 0;

  write(path: string, text: string): void {
    this.#files.set(path, { text, version: ++this.#version });
  }

  async read(path: string, what: string): Promise<string> {
    this.reads++;
    const file = this.#files.get(path);
    if (file === undefined) throw new AgentError('not-found', `cannot read ${what} "${path}": no such file`);
    return file.text;
  }

  async fingerprint(path: string): Promise<string | undefined> {
    return this.#files.get(path)?.version.toString();
  }
}

const PLUGIN = {
  apiVersion: 'v1',
  command: 'x',
  args: [],
  env: {},
  installHint: '',
  provideClusterInfo: false,
};
const file = (path: string) => ({ kind: 'file', path }) as const;

describe('CredentialSource', () => {
  let authority: TestAuthority;
  let one: KeyPair;
  let two: KeyPair;
  let clock: FakeClock;
  let files: MemoryFiles;
  let logger: RecordingLogger;
  let changes: number;

  before(async () => {
    authority = await TestAuthority.create();
    one = await authority.issue('one', '');
    two = await authority.issue('two', '');
  });
  after(() => authority.remove());
  beforeEach(() => {
    clock = new FakeClock();
    files = new MemoryFiles();
    logger = new RecordingLogger();
    changes = 0;
  });

  function open(
    user: KubeUser,
    runExec?: CredentialSourceSettings['runExec'],
    more: Pick<CredentialSourceSettings, 'readClient'> = {},
  ): CredentialSource {
    const server = new URL('https://a');
    const config = { path: '/k', server, insecure: false, namespace: '', user, ca: file('ca') };
    files.write('ca', authority.cert);
    const refuse = (): Promise<ExecCredential> => Promise.reject(new Error('no plugin'));
    const onTlsChange = (): void => void changes++;
    const parts = { config, files, runExec: runExec ?? refuse, clock, logger, onTlsChange };
    return new CredentialSource({ ...parts, ...more });
  }

  const pair: KubeUser = { certificate: file('crt'), key: file('key') };
  function writePair({ cert, key }: KeyPair): void {
    files.write('crt', cert);
    files.write('key', key);
  }

  it('takes the certificate of the rotation, in place of the configured one', async () => {
    let held: KeyPair | undefined;
    const readClient = () => (held === undefined ? undefined : { certificate: held.cert, key: held.key });
    const source = open(pair, undefined, { readClient });
    assert.equal((await source.current()).tls.client, undefined);
    held = one;
    assert.equal(await source.renew(), true);
    assert.equal((await source.current()).tls.client?.certificate, one.cert);
    held = two;
    assert.equal(await source.renew(), true);
    assert.equal((await source.current()).tls.client?.key.reveal(), two.key);
    assert.equal(await source.renew(), false);
    assert.equal(changes, 2);
  });

  it('reads files once and again only when they changed, at most every 10 s', async () => {
    files.write('token', ' one\n');
    const source = open({ token: file('token') });
    assert.deepEqual((await source.current()).headers, { authorization: 'Bearer one' });
    const { reads } = files;
    await clock.advance(10_000);
    await source.current();
    assert.equal(files.reads, reads);
    files.write('token', 'two');
    assert.deepEqual((await source.current()).headers, { authorization: 'Bearer one' });
    await clock.advance(10_000);
    assert.deepEqual((await source.current()).headers, { authorization: 'Bearer two' });
    assert.equal(changes, 0);
  });

  it('notifies once when the client certificate changed and returns the same material until then', async () => {
    writePair(one);
    const source = open(pair);
    const { tls } = await source.current();
    assert.equal(tls.client?.certificate, one.cert);
    files.write('ca', authority.cert);
    await clock.advance(10_000);
    assert.equal((await source.current()).tls, tls);
    writePair(two);
    await clock.advance(10_000);
    assert.equal((await source.current()).tls.client?.certificate, two.cert);
    assert.equal(changes, 1);
  });

  it('keeps the last good pair while the new one is half written, says so once, and takes it when whole', async () => {
    writePair(one);
    const source = open(pair);
    await source.current();
    files.write('crt', two.cert);
    for (let look = 0; look < 3; look++) {
      await clock.advance(10_000);
      assert.equal((await source.current()).tls.client?.certificate, one.cert);
    }
    assert.deepEqual(
      logger.lines.map(({ fields }) => fields['err']),
      ['client key "key" does not belong to the certificate in client certificate "crt"'],
    );
    files.write('key', two.key);
    await clock.advance(10_000);
    assert.equal((await source.current()).tls.client?.certificate, two.cert);
  });

  const bad: readonly [name: string, certificate: string, key: string, message: RegExp][] = [
    ['a certificate that is no PEM', 'x', 'x', /client certificate "crt" holds no PEM certificate/],
    [
      'a certificate with rubbish in it',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'x',
      /"crt" holds a certificate that cannot be read/,
    ],
    ['a key that is no PEM', 'good', 'x', /client key "key" holds no PEM private key/],
    [
      'a key with rubbish in it',
      'good',
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      /client key "key" holds a private key that cannot be read/,
    ],
  ];
  for (const [name, certificate, key, message] of bad)
    it(`fails at the start with ${name}`, async () => {
      files.write('crt', certificate === 'good' ? one.cert : certificate);
      files.write('key', key);
      await assert.rejects(open(pair).current(), message);
    });

  it('fails at the start with a missing file or an empty authority, and works once it is there', async () => {
    const source = open(pair);
    await assert.rejects(source.current(), /cannot read client certificate "crt": no such file/);
    writePair(one);
    assert.equal((await source.current()).tls.client?.certificate, one.cert);
    const other = open({});
    files.write('ca', 'nothing');
    await assert.rejects(other.current(), /CA file "ca" holds no PEM certificate/);
  });

  it('runs a plugin once until its credentials expire, and once for many who ask', async () => {
    let runs = 0;
    const source = open({ exec: PLUGIN }, async () => {
      runs++;
      return { token: new Secret(`t${runs}`), expiresAtMs: clock.now() + 60_000 };
    });
    await Promise.all([source.current(), source.current()]);
    await clock.advance(59_999);
    assert.deepEqual((await source.current()).headers, { authorization: 'Bearer t1' });
    assert.equal(runs, 1);
    await clock.advance(1);
    assert.deepEqual((await source.current()).headers, { authorization: 'Bearer t2' });
  });

  it('runs the plugin again when the server refused its token, and says whether that changed anything', async () => {
    let token = 'a';
    const source = open({ exec: PLUGIN }, async () => ({ token: new Secret(token) }));
    await source.current();
    assert.equal(await source.renew(), false);
    token = 'b';
    assert.equal(await source.renew(), true);
    assert.deepEqual((await source.current()).headers, { authorization: 'Bearer b' });
  });

  it('sends whom to act as, and name and password', async () => {
    const impersonate = { user: 'x', groups: ['g', 'h'], uid: '1' };
    const source = open({ impersonate, basic: { username: 'u', password: new Secret('p') } });
    assert.deepEqual((await source.current()).headers, {
      authorization: `Basic ${btoa('u:p')}`,
      'impersonate-user': 'x',
      'impersonate-group': ['g', 'h'],
      'impersonate-uid': '1',
    });
  });
});
