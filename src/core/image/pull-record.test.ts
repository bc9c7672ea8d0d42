import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type ImagePullCredentials,
  mergeIntoRecord,
  type PulledRecord,
  parsePulledRecord,
  parsePullIntent,
  renderPulledRecord,
  renderPullIntent,
  toRecordedCredentials,
} from './pull-record.ts';
import { renderHashedCredential } from './registry-credential.ts';

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const secret = (name: string, credentialHash = 'h', namespace = 'n') => ({
  uid: `u-${name}`,
  namespace,
  name,
  credentialHash,
});
const account = (name: string) => ({ uid: `u-${name}`, namespace: 'n', name });
const record = (credentials: ImagePullCredentials): PulledRecord => ({
  lastUpdatedTime: '2020-01-01T00:00:00Z',
  imageRef: 'sha256:1',
  credentialMapping: { app: credentials },
});
const after = (
  before: ImagePullCredentials,
  added: ImagePullCredentials | undefined,
): ImagePullCredentials | undefined =>
  mergeIntoRecord(record(before), 'sha256:1', 'app', added, AT_MS).credentialMapping['app'];

describe('mergeIntoRecord', () => {
  it('begins a record, with the second it was', () => {
    assert.deepEqual(mergeIntoRecord(undefined, 'sha256:1', 'app', { nodePodsAccessible: true }, AT_MS), {
      lastUpdatedTime: '2026-01-02T03:04:05Z',
      imageRef: 'sha256:1',
      credentialMapping: { app: { nodePodsAccessible: true } },
    });
  });

  it('a pull with unknown credentials records only that there was one', () => {
    assert.deepEqual(mergeIntoRecord(undefined, 'sha256:1', 'app', undefined, AT_MS).credentialMapping, {});
    const known = record({ kubernetesSecrets: [secret('a')] });
    assert.equal(mergeIntoRecord(known, 'sha256:1', 'app', undefined, AT_MS), known);
    assert.equal(mergeIntoRecord(known, 'sha256:1', 'app', {}, AT_MS), known);
  });

  it('keeps names apart', () => {
    const merged = mergeIntoRecord(
      record({ kubernetesSecrets: [secret('a')] }),
      'sha256:1',
      'other',
      { nodePodsAccessible: true },
      AT_MS,
    );
    assert.deepEqual(merged.credentialMapping, {
      app: { kubernetesSecrets: [secret('a')] },
      other: { nodePodsAccessible: true },
    });
  });

  const rows: [what: string, ImagePullCredentials, ImagePullCredentials, ImagePullCredentials][] = [
    [
      'access for every pod clears the lists',
      { kubernetesSecrets: [secret('a')], kubernetesServiceAccounts: [account('s')] },
      { nodePodsAccessible: true },
      { nodePodsAccessible: true },
    ],
    [
      'access for every pod stays',
      { nodePodsAccessible: true },
      { kubernetesSecrets: [secret('a')] },
      { nodePodsAccessible: true },
    ],
    [
      'the newest hash counts',
      { kubernetesSecrets: [secret('a', 'old')] },
      { kubernetesSecrets: [secret('a', 'new')] },
      { kubernetesSecrets: [secret('a', 'new')] },
    ],
    [
      'in order of namespace and name',
      { kubernetesSecrets: [secret('b', 'h', 'm'), secret('c', 'h', 'm')] },
      { kubernetesSecrets: [secret('a', 'h', 'm'), secret('z', 'h', 'l')] },
      {
        kubernetesSecrets: [
          secret('z', 'h', 'l'),
          secret('a', 'h', 'm'),
          secret('b', 'h', 'm'),
          secret('c', 'h', 'm'),
        ],
      },
    ],
    [
      'accounts beside secrets',
      { kubernetesSecrets: [secret('a')] },
      { kubernetesServiceAccounts: [account('s')] },
      { kubernetesSecrets: [secret('a')], kubernetesServiceAccounts: [account('s')] },
    ],
  ];
  for (const [what, before, added, merged] of rows)
    it(what, () => {
      assert.deepEqual(after(before, added), merged);
    });

  it('what is known changes nothing, not even the time', () => {
    const known = record({ kubernetesSecrets: [secret('a'), secret('b')] });
    assert.equal(
      mergeIntoRecord(known, 'sha256:1', 'app', { kubernetesSecrets: [secret('b')] }, AT_MS),
      known,
    );
  });

  it('never revokes the access of a recorded secret, and survives a round trip to disk', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const step = fc.oneof(
      name.map((n): ImagePullCredentials => ({ kubernetesSecrets: [secret(n)] })),
      name.map((n): ImagePullCredentials => ({ kubernetesServiceAccounts: [account(n)] })),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1 }), (steps) => {
        let current: PulledRecord | undefined;
        for (const added of steps) current = mergeIntoRecord(current, 'sha256:1', 'app', added, AT_MS);
        const { kubernetesSecrets = [], kubernetesServiceAccounts = [] } =
          current?.credentialMapping['app'] ?? {};
        for (const added of steps) {
          for (const one of added.kubernetesSecrets ?? [])
            assert.ok(kubernetesSecrets.some(({ uid }) => uid === one.uid));
          for (const one of added.kubernetesServiceAccounts ?? [])
            assert.ok(kubernetesServiceAccounts.some(({ uid }) => uid === one.uid));
        }
        assert.equal(new Set(kubernetesSecrets.map(({ uid }) => uid)).size, kubernetesSecrets.length);
        assert.deepEqual(current && parsePulledRecord(renderPulledRecord(current)), {
          ok: true,
          value: current,
        });
      }),
    );
  });
});

describe('records on disk', () => {
  it('are written as upstream writes them', () => {
    assert.equal(
      renderPullIntent('app:1'),
      '{"kind":"ImagePullIntent","apiVersion":"kubelet.config.k8s.io/v1beta1","image":"app:1"}\n',
    );
    const text = renderPulledRecord(record({ kubernetesSecrets: [secret('a')] }));
    assert.equal(
      text,
      '{"kind":"ImagePulledRecord","apiVersion":"kubelet.config.k8s.io/v1beta1","lastUpdatedTime":"2020-01-01T00:00:00Z","imageRef":"sha256:1","credentialMapping":{"app":{"kubernetesSecrets":[{"uid":"u-a","namespace":"n","name":"a","credentialHash":"h"}]}}}\n',
    );
  });

  it('are read in both versions', () => {
    assert.deepEqual(parsePullIntent(renderPullIntent('app:1').replace('v1beta1', 'v1alpha1')), {
      ok: true,
      value: 'app:1',
    });
    const bare =
      '{"kind":"ImagePulledRecord","apiVersion":"kubelet.config.k8s.io/v1alpha1","lastUpdatedTime":null,"imageRef":"x"}';
    assert.deepEqual(parsePulledRecord(bare), {
      ok: true,
      value: { lastUpdatedTime: '', imageRef: 'x', credentialMapping: {} },
    });
  });

  const good = JSON.parse(renderPulledRecord(record({ kubernetesSecrets: [secret('a')] })));
  const broken: [what: string, change: object][] = [
    ['of another kind', { kind: 'ImagePullIntent' }],
    ['of a version to come', { apiVersion: 'kubelet.config.k8s.io/v2' }],
    ['with an unknown field', { more: 1 }],
    ['without an image', { imageRef: undefined }],
    ['with a mapping that is none', { credentialMapping: [] }],
    ['with credentials that are none', { credentialMapping: { app: 7 } }],
    ['with unknown credentials', { credentialMapping: { app: { anonymous: true } } }],
    ['with a flag that is text', { credentialMapping: { app: { nodePodsAccessible: 'yes' } } }],
    ['with a secret that is none', { credentialMapping: { app: { kubernetesSecrets: ['a'] } } }],
    ['with an unknown secret', { credentialMapping: { app: { kubernetesSecrets: [{ group: 'x' }] } } }],
  ];
  for (const [what, change] of broken)
    it(`one ${what} is not trusted`, () => {
      assert.equal(parsePulledRecord(JSON.stringify({ ...good, ...change })).ok, false);
    });

  it('a truncated file is refused', () => {
    assert.equal(parsePulledRecord(JSON.stringify(good).slice(0, -5)).ok, false);
    assert.equal(parsePullIntent('').ok, false);
    assert.equal(parsePullIntent(renderPullIntent('')).ok, false);
  });
});

describe('toRecordedCredentials', () => {
  const plain = { username: 'u', password: 'p', email: '' };
  const owner = { uid: '1', namespace: 'n', name: 'a' };
  it('remembers the owner and a hash, never the credential', () => {
    assert.deepEqual(toRecordedCredentials(undefined, ''), { nodePodsAccessible: true });
    assert.deepEqual(toRecordedCredentials({ ...plain, source: { kind: 'node' } }, 'h'), {
      nodePodsAccessible: true,
    });
    assert.deepEqual(toRecordedCredentials({ ...plain, source: { kind: 'secret', ...owner } }, 'h'), {
      kubernetesSecrets: [{ ...owner, credentialHash: 'h' }],
    });
    assert.deepEqual(
      toRecordedCredentials({ ...plain, source: { kind: 'service-account', ...owner } }, 'h'),
      {
        kubernetesServiceAccounts: [owner],
      },
    );
  });

  it('hashes the same bytes as upstream: empty fields left out, markup escaped', () => {
    const source = { kind: 'node' } as const;
    assert.equal(renderHashedCredential({ ...plain, source }), '{"username":"u","password":"p"}');
    assert.equal(
      renderHashedCredential({ username: '', password: '<&>', email: 'e', source }),
      '{"password":"\\u003c\\u0026\\u003e","email":"e"}',
    );
  });
});
