import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { KeyringPart } from '../../core/image/keyring.ts';
import type { ObjectLookup } from '../../core/model/environment-objects.ts';
import { noTokens } from '../../ports/cluster/token-source.ts';
import { computeCredentialHash, ImageCredentials } from './image-credentials.ts';
import { NodeDockerConfig, toDockerConfigDirectories } from './node-docker-config.ts';

const IMAGE = 'a.example/app:1';
const NEVER = new AbortController().signal;
const auths = (username: string, registry = 'a.example') => ({ [registry]: { username, password: 'p' } });

function setUp() {
  const clock = new FakeClock();
  const files = new FakeFiles();
  const logger = new RecordingLogger();
  const secrets = new Map<string, ObjectLookup>();
  const given: KeyringPart[] = [];
  const directories = toDockerConfigDirectories('/root-dir', '/cwd', '/home');
  for (const directory of ['/root-dir', '/cwd', '/home/.docker', '/.docker'])
    files.disk.makeDirectory(directory, 0o755);
  const subject = new ImageCredentials({
    objects: { secret: async (_namespace, name) => secrets.get(name) ?? { kind: 'missing' } },
    events: new RecordingEvents(),
    tokens: noTokens,
    nodeConfig: new NodeDockerConfig({ files, clock, logger, directories }),
    providers: { find: async () => given },
  });
  const addSecret = (name: string, type: string, key: string, content: unknown): void =>
    void secrets.set(name, {
      kind: 'found',
      data: { [key]: JSON.stringify(content) },
      secret: { uid: name, type },
    });
  const users = async (...names: string[]): Promise<string[]> => {
    const imagePullSecrets = names.map((name) => ({ name }));
    const found = await subject.find(samplePod({ imagePullSecrets }), IMAGE, NEVER);
    assert.ok(found.ok, JSON.stringify(found));
    return found.value.map(({ username }) => username);
  };
  const put = (path: string, content: unknown): Promise<void> =>
    files.writeFile(path, JSON.stringify(content), 0o600);
  return { clock, logger, given, secrets, addSecret, users, put, files };
}

describe('ImageCredentials', () => {
  it('secrets in their order, then the node, then plugins', async () => {
    const t = setUp();
    t.addSecret('new', 'kubernetes.io/dockerconfigjson', '.dockerconfigjson', { auths: auths('secret 1') });
    t.addSecret('old', 'kubernetes.io/dockercfg', '.dockercfg', auths('secret 2'));
    await t.put('/root-dir/config.json', { auths: auths('node') });
    const entry = { username: 'plugin', password: 'p', email: '' };
    t.given.push({ source: { kind: 'node' }, config: new Map([['a.example', entry]]) });
    assert.deepEqual(await t.users('new', 'old'), ['secret 1', 'secret 2', 'node', 'plugin']);
    assert.deepEqual(await t.users('old', 'new'), ['secret 2', 'secret 1', 'node', 'plugin']);
  });

  it('a secret of another type, or without its key, gives nothing', async () => {
    const t = setUp();
    t.addSecret('opaque', 'Opaque', '.dockerconfigjson', { auths: auths('x') });
    t.addSecret('mixed', 'kubernetes.io/dockercfg', '.dockerconfigjson', { auths: auths('x') });
    t.addSecret('plain', 'toString', 'x', {});
    assert.deepEqual(await t.users('opaque', 'mixed', 'plain'), []);
  });

  it('standalone there are no secrets', async () => {
    const t = setUp();
    t.secrets.set('a', { kind: 'no-api' });
    assert.deepEqual(await t.users('a'), []);
  });

  it('credentials of other registries are left out', async () => {
    const t = setUp();
    t.addSecret('a', 'kubernetes.io/dockerconfigjson', '.dockerconfigjson', {
      auths: auths('x', 'b.example'),
    });
    assert.deepEqual(await t.users('a'), []);
  });
});

describe('NodeDockerConfig', () => {
  const places: [path: string, content: unknown][] = [
    ['/.dockercfg', auths('/.dockercfg')],
    ['/home/.dockercfg', auths('/home/.dockercfg')],
    ['/cwd/.dockercfg', auths('/cwd/.dockercfg')],
    ['/root-dir/.dockercfg', auths('/root-dir/.dockercfg')],
    ['/.docker/config.json', { auths: auths('/.docker/config.json') }],
    ['/home/.docker/config.json', { auths: auths('/home/.docker/config.json') }],
    ['/cwd/config.json', { auths: auths('/cwd/config.json') }],
    ['/root-dir/config.json', { auths: auths('/root-dir/config.json') }],
  ];
  it('each place wins over those before it', async () => {
    const t = setUp();
    assert.deepEqual(await t.users(), []);
    for (const [path, content] of places) {
      await t.put(path, content);
      await t.clock.advance(300_000);
      assert.deepEqual(await t.users(), [path]);
    }
  });

  it('is read again after five minutes', async () => {
    const t = setUp();
    await t.put('/root-dir/config.json', { auths: auths('old') });
    assert.deepEqual(await t.users(), ['old']);
    await t.put('/root-dir/config.json', { auths: auths('new') });
    await t.clock.advance(299_999);
    assert.deepEqual(await t.users(), ['old']);
    await t.clock.advance(1);
    assert.deepEqual(await t.users(), ['new']);
  });

  it('an unusable file is logged and skipped', async () => {
    const t = setUp();
    await t.files.writeFile('/root-dir/config.json', '{"auths": "hunter2', 0o600);
    t.files.disk.makeDirectory('/cwd/config.json', 0o755);
    await t.put('/home/.docker/config.json', { auths: auths('home') });
    assert.deepEqual(await t.users(), ['home']);
    assert.equal(t.logger.lines.length, 2);
    assert.ok(!JSON.stringify(t.logger.lines).includes('hunter2'));
  });
});

describe('computeCredentialHash', () => {
  it('is the hash other kubelets record', () => {
    // printf '{"username":"u","password":"p"}' | sha256sum
    const credential = { username: 'u', password: 'p', email: '', source: { kind: 'node' } } as const;
    assert.equal(
      computeCredentialHash(credential),
      'edbd57ca9372e64eb1c9070ecf3a049ac553596b0529acf034c7a71d4e618e88',
    );
  });
});
