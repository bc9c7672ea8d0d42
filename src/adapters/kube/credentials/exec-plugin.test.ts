/** Real child processes: Node itself is the plugin. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type KeyPair, TestAuthority } from '../../../../test/fakes/test-certificates.ts';
import { SystemClock } from '../../linux/machine/system-clock.ts';
import { type ExecPlugin, runExecPlugin } from './exec-plugin.ts';

const VERSION = 'client.authentication.k8s.io/v1';
const settings = {
  cluster: { server: 'https://a' },
  environment: { PATH: '/usr/bin' },
  clock: new SystemClock(),
  timeoutMs: 20_000,
};

function plugin(script: string, more: Partial<ExecPlugin> = {}): ExecPlugin {
  return {
    apiVersion: VERSION,
    command: process.execPath,
    args: ['-e', script],
    env: {},
    installHint: '',
    provideClusterInfo: false,
    ...more,
  };
}

function answer(status: object, apiVersion = VERSION): string {
  return `console.log(${JSON.stringify(JSON.stringify({ apiVersion, kind: 'ExecCredential', status }))})`;
}

describe('runExecPlugin', () => {
  let authority: TestAuthority;
  let pair: KeyPair;
  before(async () => {
    authority = await TestAuthority.create();
    pair = await authority.issue('node', '');
  });
  after(() => authority.remove());

  it('gives token, certificate and the time they expire', async () => {
    const status = {
      token: 'secret',
      clientCertificateData: pair.cert,
      clientKeyData: pair.key,
      expirationTimestamp: '2030-01-01T00:00:00Z',
    };
    const credential = await runExecPlugin(plugin(answer(status)), settings);
    assert.equal(credential.token?.reveal(), 'secret');
    assert.equal(credential.client?.certificate, pair.cert);
    assert.equal(credential.expiresAtMs, Date.UTC(2030, 0, 1));
  });

  it('passes the cluster to the plugin when it asks for it, and adds its variables', async () => {
    const script = `const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
      const token = [info.apiVersion, info.kind, info.spec.interactive, info.spec.cluster?.server, process.env.X].join(' ');
      console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: 'ExecCredential', status: { token } }))`;
    const informed = await runExecPlugin(
      plugin(script, { provideClusterInfo: true, env: { X: '$(id)' } }),
      settings,
    );
    assert.equal(informed.token?.reveal(), `${VERSION} ExecCredential false https://a $(id)`);
    const uninformed = await runExecPlugin(plugin(script), settings);
    assert.equal(uninformed.token?.reveal(), `${VERSION} ExecCredential false  `);
  });

  const bad: readonly [name: string, script: string, message: RegExp][] = [
    [
      'shows its stderr when it fails',
      'console.error("please log in"); process.exit(3)',
      /exit status 3: please log in$/,
    ],
    ['refuses what is no ExecCredential', 'console.log("a-secret")', /its output is not an ExecCredential$/],
    ['refuses another version', answer({ token: 'a-secret' }, 'v9'), /it answered as "v9", not client/],
    ['refuses an empty answer', answer({}), /neither a token nor a certificate$/],
    [
      'refuses a certificate without a key',
      answer({ clientCertificateData: 'x' }),
      /only one of certificate and key$/,
    ],
    ['refuses endless output', 'process.stdout.write("a-secret".repeat(300000))', /output is too long$/],
  ];
  for (const [name, script, message] of bad)
    it(`${name}, without its stdout`, async () => {
      await assert.rejects(runExecPlugin(plugin(script), settings), (error: Error) => {
        assert.match(error.message, message);
        return !error.message.includes('a-secret');
      });
    });

  it('names a program that is not there, with the hint how to get it', async () => {
    const missing = plugin('', { command: '/absent/get-token', installHint: 'install get-token' });
    await assert.rejects(
      runExecPlugin(missing, settings),
      /"\/absent\/get-token": .*ENOENT; install get-token$/,
    );
  });

  it('kills a program that does not end', async () => {
    const quick = { ...settings, timeoutMs: 100 };
    await assert.rejects(
      runExecPlugin(plugin('setInterval(() => {}, 1000)'), quick),
      /context deadline exceeded/,
    );
  });
});
