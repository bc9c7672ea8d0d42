import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { noObjects } from '../../../test/fakes/no-objects.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { mountFailure, RecordingMounter } from '../../../test/fakes/recording-mounter.ts';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import { accept, refuse } from '../../base/outcome.ts';
import type { PodSpec } from '../../core/api/pod.ts';
import type { Volume } from '../../core/api/volume.ts';
import type { ObjectLookup } from '../../core/model/environment-objects.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { sourceOf } from '../../core/volume/volume-source.ts';
import { noTokens, type TokenSource } from '../../ports/cluster/token-source.ts';
import type { VolumeDriver } from '../../ports/storage/volume-driver.ts';
import { createVolumeDrivers } from './volume-drivers.ts';

let base: string;
let directory: string;
let mounter: RecordingMounter;
let objects: Map<string, ObjectLookup>;
let tokens: TokenSource;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'content-'));
  directory = join(base, 'volumes', 'v');
  mounter = new RecordingMounter();
  objects = new Map();
  tokens = noTokens;
});
afterEach(() => rm(base, { recursive: true }));

const lookUp = (key: string): Promise<ObjectLookup> =>
  Promise.resolve(objects.get(key) ?? { kind: 'missing' });

function driverOf(volume: Volume): VolumeDriver {
  const drivers = createVolumeDrivers({
    kit: { clock: new FakeClock(), logger: new RecordingLogger() },
    credentials: undefined,
    attachments: undefined,
    mounter,
    node: sampleNode({ rootDir: base }),
    objects: {
      configMap: (namespace, name) => lookUp(`configmap ${namespace}/${name}`),
      secret: (namespace, name) => lookUp(`secret ${namespace}/${name}`),
      subscribe: noObjects.subscribe,
    },
    tokens,
    readSecret: noObjects.secret,
  });
  return drivers.find(({ source }) => source === sourceOf(volume))!;
}

async function mount(volume: Omit<Volume, 'name'>, spec: Partial<PodSpec> = {}): Promise<string | undefined> {
  const named = { name: 'v', ...volume };
  const pod = samplePod(spec, { labels: { app: 'shop' } });
  const place = { podUid: toPodUid('uid-1'), name: 'v', directory };
  const { signal } = new AbortController();
  const result = await driverOf(named).mount({
    ...place,
    pod,
    volume: named,
    isRemount: false,
    signal,
    warn: () => {},
  });
  return result.ok ? undefined : result.message;
}

async function shown(): Promise<Record<string, string>> {
  const names = (await readdir(directory)).filter((name) => !name.startsWith('..'));
  const texts = names.map(async (name) => [name, await readFile(join(directory, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

const modeOf = async (name: string): Promise<number> => (await stat(join(directory, name))).mode & 0o777;
const configMap = { configMap: { name: 'cfg', defaultMode: 0o644 } };
const secret = { secret: { secretName: 'key', defaultMode: 0o400 } };

describe('volumes made of data', () => {
  it('a ConfigMap lies on disk, a Secret in memory, each with its mode', async () => {
    objects.set('configmap market/cfg', { kind: 'found', data: { a: '1' } });
    assert.equal(await mount(configMap), undefined);
    assert.deepEqual([await shown(), await modeOf('a'), mounter.calls], [{ a: '1' }, 0o644, []]);
    await driverOf({ name: 'v', ...configMap }).unmount({ podUid: toPodUid('uid-1'), name: 'v', directory });
    await assert.rejects(stat(directory), { code: 'ENOENT' });

    objects.set('secret market/key', {
      kind: 'found',
      data: { p: '?' },
      bytes: { p: Buffer.from([0xff, 0]) },
    });
    assert.equal(await mount(secret), undefined);
    assert.deepEqual([...(await readFile(join(directory, 'p')))], [0xff, 0]);
    assert.deepEqual([await modeOf('p'), mounter.calls], [0o400, ['mount tmpfs']]);
  });

  it('a change is shown by the next call, without another mount', async () => {
    objects.set('secret market/key', { kind: 'found', data: { a: '1', b: '2' } });
    await mount(secret);
    objects.set('secret market/key', { kind: 'found', data: { a: '3' } });
    await mount(secret);
    assert.deepEqual([await shown(), mounter.calls], [{ a: '3' }, ['mount tmpfs']]);
  });

  it('what is shown stays when the object is gone, unless it is optional', async () => {
    objects.set('configmap market/cfg', { kind: 'found', data: { a: '1' } });
    await mount(configMap);
    objects.clear();
    assert.equal(await mount(configMap), 'configmap "cfg" not found');
    assert.deepEqual(await shown(), { a: '1' });
    assert.equal(await mount({ configMap: { ...configMap.configMap, optional: true } }), undefined);
    assert.deepEqual(await shown(), {});
  });

  it('an optional object that appears later is shown then', async () => {
    const optional = { configMap: { ...configMap.configMap, optional: true } };
    assert.equal(await mount(optional), undefined);
    assert.deepEqual(await shown(), {});
    objects.set('configmap market/cfg', { kind: 'found', data: { a: '1' } });
    await mount(optional);
    assert.deepEqual(await shown(), { a: '1' });
  });

  it('a refusal makes nothing on disk, a failed first set-up leaves nothing', async () => {
    await mount(configMap);
    await assert.rejects(stat(directory), { code: 'ENOENT' });
    objects.set('secret market/key', { kind: 'found', data: { a: '1' } });
    mounter.failure = mountFailure();
    await assert.rejects(mount(secret), /no luck/);
    await assert.rejects(stat(directory), { code: 'ENOENT' });
  });

  it('a refusal leaves an empty place in memory, which the next try fills and the end removes', async () => {
    assert.equal(await mount(secret), 'secret "key" not found');
    assert.deepEqual([await shown(), mounter.calls], [{}, ['mount tmpfs']]);
    objects.set('secret market/key', { kind: 'found', data: { a: '1' } });
    assert.equal(await mount(secret), undefined);
    assert.deepEqual([await shown(), mounter.calls], [{ a: '1' }, ['mount tmpfs']]);
    await driverOf({ name: 'v', ...secret }).unmount({ podUid: toPodUid('uid-1'), name: 'v', directory });
    await assert.rejects(stat(directory), { code: 'ENOENT' });
    assert.deepEqual(mounter.calls, ['mount tmpfs', 'unmount']);
  });

  it('what is refused while its place cannot be made is refused, and leaves nothing', async () => {
    mounter.failure = mountFailure();
    assert.equal(await mount(secret), 'secret "key" not found');
    await assert.rejects(stat(directory), { code: 'ENOENT' });
  });

  it('mounts while the API server has not answered yet', async () => {
    const answer = Promise.withResolvers<void>();
    tokens = {
      token: async () => {
        await answer.promise;
        return accept({ token: 'late', refreshAtMs: 1234 });
      },
      forget: () => {},
    };
    const sources = [{ serviceAccountToken: { path: 'token' } }];
    const mounted = mount({ projected: { sources, defaultMode: 0o644 } });
    while (mounter.calls.length === 0) await new Promise(setImmediate);
    answer.resolve();
    assert.equal(await mounted, undefined);
    assert.deepEqual([await shown(), mounter.calls], [{ token: 'late' }, ['mount tmpfs']]);
  });

  it('has places for volumes that are mounted below it', async () => {
    objects.set('configmap market/cfg', { kind: 'found', data: { a: '1' } });
    const volumeMounts = [
      { name: 'v', mountPath: '/etc/app' },
      { name: 'other', mountPath: '/etc/app/sub' },
    ];
    await mount(configMap, { containers: [sampleContainer({ volumeMounts })] });
    assert.ok((await stat(join(directory, 'sub'))).isDirectory());
  });

  it('gives read access to the group of the pod', async () => {
    objects.set('secret market/key', { kind: 'found', data: { a: '1' } });
    await mount(secret, { securityContext: { fsGroup: process.getgid?.() ?? 0 } });
    assert.equal(await modeOf('a'), 0o440);
    // Nothing is really mounted here: the mode is that of the place under the mount, as the group may read it.
    assert.equal((await stat(directory)).mode & 0o7777, 0o2750);
  });

  it('downward files show fields of the pod', async () => {
    const items = [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }];
    assert.equal(await mount({ downwardAPI: { items, defaultMode: 0o644 } }), undefined);
    assert.deepEqual(await shown(), { labels: 'app="shop"' });
  });

  it('a projected volume joins its sources; the later one wins', async () => {
    objects.set('configmap market/cfg', { kind: 'found', data: { a: 'map', b: 'map' } });
    objects.set('secret market/key', { kind: 'found', data: { a: 'secret' } });
    const sources = [{ configMap: { name: 'cfg' } }, { secret: { name: 'key' } }];
    await mount({ projected: { sources, defaultMode: 0o644 } });
    assert.deepEqual(await shown(), { a: 'secret', b: 'map' });
  });

  it('a token is written for the user of the pod alone and asked for again in time', async () => {
    const forgotten: string[] = [];
    tokens = {
      token: async ({ audience }) => accept({ token: `for ${audience}`, refreshAtMs: 1234 }),
      forget: (uid) => void forgotten.push(uid),
    };
    const sources = [{ serviceAccountToken: { path: 'token', audience: 'vault' } }];
    const volume: Volume = { name: 'v', projected: { sources, defaultMode: 0o644 } };
    const user = process.getuid?.() ?? 0;
    const request = {
      podUid: toPodUid('uid-1'),
      name: 'v',
      directory,
      pod: samplePod({ securityContext: { runAsUser: user } }),
      volume,
      isRemount: false,
      signal: new AbortController().signal,
      warn: () => {},
    };
    const result = await driverOf(volume).mount(request);
    assert.equal(result.ok && result.value.refreshAtMs, 1234);
    assert.deepEqual([await shown(), await modeOf('token')], [{ token: 'for vault' }, 0o600]);
    await driverOf(volume).unmount(request);
    assert.deepEqual(forgotten, ['uid-1']);
  });

  it('a projected volume reports all that is missing', async () => {
    tokens = { token: async () => refuse('no token'), forget: () => {} };
    const sources = [
      { configMap: { name: 'cfg' } },
      { serviceAccountToken: { path: 'token' } },
      { clusterTrustBundle: { name: 'x', path: 'ca' } },
      { podCertificate: { keyType: 'ED25519', signerName: 'example.com/s', keyPath: 'key' } },
    ];
    assert.equal(
      await mount({ projected: { sources, defaultMode: 0o644 } }),
      '[configmap "cfg" not found, no token, ClusterTrustBundle projection is not supported in static kubelet mode, unimplemented]',
    );
  });
});
