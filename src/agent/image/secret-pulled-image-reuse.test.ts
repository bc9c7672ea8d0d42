/**
 * Regression: secret-pulled image reuse by another tenant. A private image that one pod pulled with its secret was
 * once started for any pod of the node that knew its name (kubernetes/kubernetes#18787, closed by KEP-2535; no CVE
 * number was ever given to it). Everything here runs against one registry that lets in only who shows a password.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { makeSandboxConfig } from '../../../test/fakes/runtime-configs.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { VerificationPolicy } from '../../core/image/decide-image-access.ts';
import type { ObjectLookup } from '../../core/model/environment-objects.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { ImageInfo, ImageService } from '../../ports/runtime/image-service.ts';
import { assembleImages } from './assemble-images.ts';

const PRIVATE = 'registry.example/private/app:1';
const PUBLIC = 'registry.example/public/app:1';
const PASSWORD = 'let-me-in';
const NEVER = new AbortController().signal;

/** Longer than any step that waits for nothing takes. */
const aMoment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets in who shows the password; what it gave away stays on the machine. */
class GuardedRegistry {
  readonly pulls: string[] = [];
  readonly present = new Map<string, ImageInfo>();
  /** The runtime gets the image, but the answer is lost on its way. */
  losesAnswer = false;

  add(image: string): ImageInfo {
    const info = { id: `sha256:${image}`, repoTags: [image], repoDigests: [], sizeBytes: 1, pinned: false };
    this.present.set(image, info);
    return info;
  }

  readonly service = {
    imageStatus: async (image: string) => this.present.get(image),
    listImages: async () => [...this.present.values()],
    pullImage: async (
      image: string,
      options: { credential?: { password?: string }; signal?: AbortSignal },
    ) => {
      this.pulls.push(`${image} ${options.credential?.password ?? 'anonymous'}`);
      if (image === PRIVATE && options.credential?.password !== PASSWORD)
        throw new AgentError('unknown', 'pull access denied');
      await aMoment();
      const { id } = this.add(image);
      await aMoment();
      if (this.losesAnswer) throw new AgentError('unavailable', 'connection reset');
      return id;
    },
  } as unknown as ImageService;
}

interface Tenant {
  readonly namespace: string;
  /** The content of its secret; none without. */
  readonly password?: string;
  readonly policy?: string;
  readonly image?: string;
  readonly uid?: string;
}

/** One life of the agent on a machine that may have had others. */
async function start(
  machine: { readonly registry: GuardedRegistry; readonly files: FakeFiles },
  policy: VerificationPolicy = 'NeverVerifyPreloadedImages',
  maxParallelPulls = 5,
) {
  const clock = new FakeClock();
  const secrets = new Map<string, ObjectLookup>();
  const events = new RecordingEvents();
  const logger = new RecordingLogger();
  const parts = assembleImages(
    {
      images: machine.registry.service,
      files: machine.files,
      kit: { clock, logger, events },
      objects: {
        secret: async (namespace, name) => secrets.get(`${namespace}/${name}`) ?? { kind: 'missing' },
      },
    },
    { maxParallelPulls, pullsPerSecond: 0, burst: 1, verification: { policy, allowlist: [] } },
    '/var/lib/kubelet',
  );
  await parts.load(NEVER);
  const ask = (tenant: Tenant, signal = NEVER) => {
    const {
      namespace,
      password,
      policy: pullPolicy = 'IfNotPresent',
      image = PRIVATE,
      uid = namespace,
    } = tenant;
    if (password !== undefined) {
      const text = JSON.stringify({ auths: { 'registry.example': { username: 'u', password } } });
      secrets.set(`${namespace}/regcred`, {
        kind: 'found',
        data: { '.dockerconfigjson': text },
        secret: { uid: `secret of ${namespace}`, type: 'kubernetes.io/dockerconfigjson' },
      });
    }
    const imagePullSecrets = password === undefined ? [] : [{ name: 'regcred' }];
    return parts.puller.ensure({
      uid: toPodUid(uid),
      pod: samplePod({ imagePullSecrets }, { metadata: { uid, namespace } }),
      image,
      policy: pullPolicy,
      sandboxConfig: makeSandboxConfig(uid),
      signal,
      label: uid,
    });
  };
  const reason = async (tenant: Tenant): Promise<string> => {
    const answer = await ask(tenant);
    return answer.ok ? 'had' : answer.reason;
  };
  return { clock, events, logger, parts, ask, reason, registry: machine.registry, secrets };
}

const newMachine = () => ({ registry: new GuardedRegistry(), files: new FakeFiles() });
const OWNER: Tenant = { namespace: 'owner', password: PASSWORD };

describe('secret-pulled image reuse by another tenant', () => {
  const others: [what: string, tenant: Tenant, outcome: string][] = [
    ['without a secret', { namespace: 'other' }, 'ErrImagePull'],
    ['without a secret that may not pull', { namespace: 'other', policy: 'Never' }, 'ErrImageNeverPull'],
    ['with a wrong secret', { namespace: 'other', password: 'guess' }, 'ErrImagePull'],
    [
      'with a wrong secret that may not pull',
      { namespace: 'other', password: 'guess', policy: 'Never' },
      'ErrImageNeverPull',
    ],
    ['with the same password in a secret of its own', { namespace: 'other', password: PASSWORD }, 'had'],
    [
      'with the same password that may not pull',
      { namespace: 'other', password: PASSWORD, policy: 'Never' },
      'had',
    ],
    ['of the same namespace and secret', { ...OWNER, uid: 'second' }, 'had'],
    ['of the same namespace without the secret', { namespace: 'owner', uid: 'second' }, 'ErrImagePull'],
  ];
  for (const [what, tenant, outcome] of others)
    it(`a pod ${what}: ${outcome}`, async () => {
      const t = await start(newMachine());
      assert.equal(await t.reason(OWNER), 'had');
      assert.equal(await t.reason(tenant), outcome);
    });

  it('one who may not learn that the image is there reads the same words as if it were not', async () => {
    const t = await start(newMachine());
    const absent = await t.ask({ namespace: 'other', policy: 'Never' });
    await t.ask(OWNER);
    const hidden = await t.ask({ namespace: 'other', policy: 'Never' });
    assert.ok(!absent.ok && !hidden.ok);
    assert.deepEqual([hidden.reason, hidden.message], [absent.reason, absent.message]);
  });

  it('a pod that has pulled it once does not ask the registry again, also after a restart of the agent', async () => {
    const machine = newMachine();
    const first = await start(machine);
    await first.ask(OWNER);
    await first.ask({ ...OWNER, uid: 'second' });
    const second = await start(machine);
    assert.equal(await second.reason({ ...OWNER, uid: 'third' }), 'had');
    assert.equal(await second.reason({ namespace: 'other' }), 'ErrImagePull');
    assert.deepEqual(machine.registry.pulls, [`${PRIVATE} ${PASSWORD}`, `${PRIVATE} anonymous`]);
  });

  it('the agent is killed between the pull and its record: no pod gets the image without a secret', async () => {
    const machine = newMachine();
    const first = await start(machine);
    await first.parts.records.begin(PRIVATE, undefined);
    machine.registry.add(PRIVATE);
    const second = await start(machine);
    assert.equal(await second.reason({ namespace: 'other' }), 'ErrImagePull');
    await second.clock.advance(600_000);
    assert.equal(await second.reason({ namespace: 'other' }), 'ErrImagePull', 'a failed try opens no door');
    assert.equal(await second.reason({ namespace: 'other', policy: 'Never' }), 'ErrImageNeverPull');
    assert.equal(await second.reason(OWNER), 'had');
  });

  it('the answer to a pull is lost: no pod gets the image without a secret', async () => {
    const t = await start(newMachine());
    t.registry.losesAnswer = true;
    assert.equal(await t.reason(OWNER), 'ErrImagePull');
    t.registry.losesAnswer = false;
    assert.equal(await t.reason({ namespace: 'other' }), 'ErrImagePull');
    await t.clock.advance(600_000);
    assert.equal(await t.reason({ namespace: 'other' }), 'ErrImagePull', 'a failed try opens no door');
    assert.equal(await t.reason({ namespace: 'third', policy: 'Never' }), 'ErrImageNeverPull');
  });

  it('the pod that pulls is deleted when the image has just arrived: no pod gets it without a secret', async () => {
    const t = await start(newMachine());
    const leaver = new AbortController();
    const left = t.ask(OWNER, leaver.signal);
    while (!t.registry.present.has(PRIVATE)) await aMoment();
    leaver.abort(new Error('the pod ends'));
    await left.catch(() => {});
    assert.equal(await t.reason({ namespace: 'other' }), 'ErrImagePull');
    assert.equal(await t.reason({ namespace: 'other', policy: 'Never' }), 'ErrImageNeverPull');
    // The runtime knows the image by other names as well.
    const other =
      'registry.example/private/app@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
    const info = t.registry.present.get(PRIVATE);
    assert.ok(info);
    t.registry.present.set(other, { ...info, repoDigests: [other] });
    assert.equal(await t.reason({ namespace: 'other', policy: 'Never', image: other }), 'ErrImageNeverPull');
  });

  it('a pod deleted while its pull waits for its turn has brought nothing', async () => {
    const t = await start(newMachine(), undefined, 1);
    const first = t.ask({ namespace: 'a', image: PUBLIC });
    const leaver = new AbortController();
    const left = t.ask(OWNER, leaver.signal);
    await aMoment();
    leaver.abort(new Error('the pod ends'));
    await assert.rejects(left, /the pod ends/);
    assert.ok((await first).ok);
    t.registry.add(PRIVATE);
    assert.equal(await t.reason({ namespace: 'other' }), 'had', 'another program put it there');
    assert.deepEqual(t.registry.pulls, [`${PUBLIC} anonymous`]);
  });

  it('a pull under way is shared only with who shows the same', async () => {
    const t = await start(newMachine());
    const [owner, twin, other] = await Promise.all([
      t.reason(OWNER),
      t.reason({ namespace: 'twin', password: PASSWORD }),
      t.reason({ namespace: 'other' }),
    ]);
    assert.deepEqual([owner, twin, other], ['had', 'had', 'ErrImagePull']);
    assert.deepEqual(t.registry.pulls.toSorted(), [`${PRIVATE} anonymous`, `${PRIVATE} ${PASSWORD}`]);
    // Both secrets are remembered though one pull served them.
    assert.equal(
      await t.reason({ namespace: 'twin', password: PASSWORD, uid: 'again', policy: 'Never' }),
      'had',
    );
  });

  it('an image that needs no credentials is shared by all pods', async () => {
    const t = await start(newMachine());
    assert.equal(await t.reason({ namespace: 'a', image: PUBLIC }), 'had');
    assert.equal(await t.reason({ namespace: 'b', image: PUBLIC, policy: 'Never' }), 'had');
    assert.equal(t.registry.pulls.length, 1);
  });

  const preloaded: [VerificationPolicy, outcome: string][] = [
    ['NeverVerify', 'had'],
    ['NeverVerifyPreloadedImages', 'had'],
    ['NeverVerifyAllowlistedImages', 'ErrImagePull'],
    ['AlwaysVerify', 'ErrImagePull'],
  ];
  for (const [policy, outcome] of preloaded)
    it(`${policy}: an image that came with the machine: ${outcome}`, async () => {
      const machine = newMachine();
      machine.registry.add(PRIVATE);
      const t = await start(machine, policy);
      assert.equal(await t.reason({ namespace: 'other' }), outcome);
    });

  it('an image that came with the machine stays for all, also when a pull of it hangs and is given up', async () => {
    const machine = newMachine();
    machine.registry.add(PRIVATE);
    const t = await start(machine);
    machine.registry.losesAnswer = true;
    assert.equal(await t.reason({ ...OWNER, policy: 'Always' }), 'ErrImagePull');
    assert.equal(await t.reason({ namespace: 'other' }), 'had');
  });

  it('a missing secret is reported once, and the pull goes on', async () => {
    const t = await start(newMachine());
    const pod = samplePod({ imagePullSecrets: [{ name: 'a' }, { name: '' }, { name: 'b' }] });
    const request = {
      uid: toPodUid('x'),
      pod,
      policy: 'Always',
      sandboxConfig: makeSandboxConfig('x'),
      signal: NEVER,
      label: 'x',
    };
    for (const image of [PUBLIC, PUBLIC]) assert.ok((await t.parts.puller.ensure({ ...request, image })).ok);
    assert.deepEqual(
      t.events.events
        .filter(({ type }) => type === 'Warning')
        .map(({ reason, message }) => `${reason} ${message}`),
      [
        'FailedToRetrieveImagePullSecret Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed.',
      ],
    );
  });

  it('a secret that cannot be understood stops the pod, with the reason and nothing of its content', async () => {
    const t = await start(newMachine());
    t.secrets.set('n/bad', {
      kind: 'found',
      data: { '.dockerconfigjson': `{"auths":{"a":{"auth":"${PASSWORD}"}}}` },
      secret: { uid: 'u', type: 'kubernetes.io/dockerconfigjson' },
    });
    const pod = samplePod({ imagePullSecrets: [{ name: 'bad' }] }, { metadata: { namespace: 'n' } });
    const answer = await t.parts.puller.ensure({
      uid: toPodUid('x'),
      pod,
      image: PUBLIC,
      policy: 'Always',
      sandboxConfig: makeSandboxConfig('x'),
      signal: NEVER,
      label: 'x',
    });
    assert.ok(!answer.ok);
    assert.equal(answer.reason, answer.message);
    assert.match(answer.message, /^cannot read pull secret "n\/bad": /);
    assert.ok(!answer.message.includes(PASSWORD));
    assert.equal(t.registry.pulls.length, 0);
  });

  it('neither log nor events nor records hold a password', async () => {
    const machine = newMachine();
    const t = await start(machine);
    await t.ask(OWNER);
    await t.ask({ namespace: 'other', password: 'guess' });
    const files = [...machine.files.disk.entries.values()];
    for (const text of [t.logger.lines, t.events.events.map(({ message }) => message), files])
      for (const secret of [PASSWORD, 'guess']) assert.ok(!JSON.stringify(text).includes(secret));
  });
});
