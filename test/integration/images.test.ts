/**
 * Images from real registries: with a password, with tokens, slow ones, ones that break and one that is down. Each
 * fault shows in the pod's status and explanation, and ends by itself when its cause does.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { containerStatus, type TestNode, withNode } from './node.ts';
import { TestRegistry } from './registry.ts';
import { RegistryProxy } from './registry-proxy.ts';
import { samplePod } from './sample-pods.ts';
import { TokenServer } from './token-server.ts';
import { expectPrompt, measureUsualPod, toLimitMs } from './usual-pod.ts';

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'kubelet');
const ACCOUNT = { username: 'puller', password: 'correct-horse-battery' };
const GRACE_SECONDS = 2;
/** Longer than a pull back-off or two on a busy machine. */
const PATIENCE_MS = 120_000;

interface ImagePodOptions {
  readonly policy?: string;
  readonly secret?: string;
}

function imagePod(
  name: string,
  image: string,
  { policy = 'IfNotPresent', secret }: ImagePodOptions = {},
): object {
  return samplePod(name, {
    terminationGracePeriodSeconds: GRACE_SECONDS,
    ...(secret === undefined ? {} : { imagePullSecrets: [{ name: secret }] }),
    containers: [
      {
        name: 'main',
        image,
        imagePullPolicy: policy,
        command: ['/bin/tini', '--', '/bin/sleep', 'infinity'],
      },
    ],
  });
}

const toDockerConfig = (address: string): object => ({ auths: { [address]: ACCOUNT } });

/** Waits until the container waits for one of these reasons; returns the message. */
function waitReason(node: TestNode, name: string, reasons: RegExp): Promise<string> {
  return node.waitFor(
    `pod "${name}" to wait for ${reasons}`,
    async () => {
      const pod = await node.pod(name);
      if (pod?.status.containerStatuses === undefined) return undefined;
      const { reason = '', message = '' } = containerStatus(pod, 'main').state.waiting ?? {};
      return reasons.test(reason) ? `${reason}: ${message}` : undefined;
    },
    PATIENCE_MS,
  );
}

/** A manifest with a secret must not be open to others. */
async function writeSecret(node: TestNode, name: string, dockerConfig: object): Promise<void> {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': JSON.stringify(dockerConfig) },
  };
  const draft = join(node.directory, `.${name}`);
  await writeFile(draft, JSON.stringify(secret), { mode: 0o600 });
  await rename(draft, join(node.kubelet.manifestDir, `${name}.json`));
}

async function explain(node: TestNode, name: string): Promise<string> {
  return (await run(PROGRAM, ['explain', `--root-dir=${node.kubelet.rootDir}`, name])).stdout;
}

async function assertNoSecrets(node: TestNode): Promise<void> {
  const log = await readFile(node.kubelet.logFile, 'utf8');
  assert.ok(!log.includes(ACCOUNT.password), 'the password is in the log');
  assert.ok(!log.includes(Buffer.from(`${ACCOUNT.username}:${ACCOUNT.password}`).toString('base64')));
}

describe('images from registries', { timeout: 900_000 }, () => {
  let registry: TestRegistry;
  const pulled: string[] = [];
  const withImages = (
    options: Parameters<typeof withNode>[0],
    body: (node: TestNode) => Promise<void>,
  ): Promise<void> =>
    withNode(options, async (node) => {
      await body(node);
      await assertNoSecrets(node);
      await node.removeAllManifests();
      await node.waitFor('the pods to be gone', async () => (await node.pods()).length === 0, PATIENCE_MS);
      for (const image of pulled.splice(0)) await node.cri.images.removeImage(image);
    });
  before(async () => {
    registry = await TestRegistry.start(ACCOUNT);
  });
  after(() => registry?.stop());

  it('a private image is had with its pull secret, and by no pod without it', () =>
    withImages({}, async (node) => {
      const image = `${registry.address}/${await registry.push()}`;
      pulled.push(image);
      await node.writeManifest('owner.yaml', imagePod('owner', image, { secret: 'regcred' }));
      assert.match(
        await waitReason(node, 'owner', /^(ErrImagePull|ImagePullBackOff)$/),
        /401|authorization/i,
      );
      await node.waitForLine(
        'that a secret is missing',
        ({ reason }) => reason === 'FailedToRetrieveImagePullSecret',
        PATIENCE_MS,
      );
      await writeSecret(node, 'regcred', toDockerConfig(registry.address));
      await node.waitReady('owner', PATIENCE_MS);

      await node.writeManifest('other.yaml', imagePod('other', image));
      assert.match(
        await waitReason(node, 'other', /^(ErrImagePull|ImagePullBackOff)$/),
        /401|authorization/i,
      );
      assert.match(
        await explain(node, 'other'),
        /^Waiting for the image "\S+" of container "main".*next try in/,
      );
      await node.writeManifest('never.yaml', imagePod('never', image, { policy: 'Never' }));
      assert.match(
        await waitReason(node, 'never', /^ErrImageNeverPull$/),
        /is not present with pull policy of Never/,
      );
      await node.writeManifest(
        'friend.yaml',
        imagePod('friend', image, { policy: 'Never', secret: 'regcred' }),
      );
      await node.waitReady('friend', PATIENCE_MS);

      const records = join(node.kubelet.rootDir, 'image_manager', 'pulled');
      const [file = ''] = await readdir(records);
      assert.equal((await stat(join(records, file))).mode & 0o777, 0o600);
      const record = JSON.parse(await readFile(join(records, file), 'utf8'));
      const [name = ''] = Object.keys(record.credentialMapping);
      assert.equal(`${name}:1`, image);
      assert.equal(record.credentialMapping[name].kubernetesSecrets[0].name, 'regcred');
      assert.deepEqual(await readdir(join(node.kubelet.rootDir, 'image_manager', 'pulling')), []);

      await node.kubelet.kill9();
      await node.startAgain();
      await node.writeManifest('late.yaml', imagePod('late', image, { policy: 'Never' }));
      await waitReason(node, 'late', /^ErrImageNeverPull$/);
    }));

  it('`images pull` has a private image with the credentials of the node, and says why without them', () =>
    withImages({}, async (node) => {
      const image = `${registry.address}/${await registry.push()}`;
      pulled.push(image);
      const pull = (): Promise<{ stdout: string }> =>
        run(PROGRAM, ['images', 'pull', `--root-dir=${node.kubelet.rootDir}`, image]);
      await assert.rejects(pull, /401|authorization/i);
      await writeFile(
        join(node.kubelet.rootDir, 'config.json'),
        JSON.stringify(toDockerConfig(registry.address)),
        { mode: 0o600 },
      );
      const { stdout } = await pull();
      const [, id] = /^\S+: (sha256:[0-9a-f]{64})\n$/.exec(stdout) ?? [];
      assert.equal((await node.cri.images.imageStatus(image))?.id, id, stdout);
    }));

  it('a registry with tokens is served by a credential plugin, which is asked once', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'credential-plugin-'));
    const server = await TokenServer.listen(ACCOUNT.username, ACCOUNT.password);
    const authorityFile = join(directory, 'authority.pem');
    await writeFile(authorityFile, server.authority);
    const tokens = await TestRegistry.start(ACCOUNT, { realm: server.url, authorityFile });
    try {
      const images = [`${tokens.address}/${await tokens.push()}`, `${tokens.address}/${await tokens.push()}`];
      pulled.push(...images);
      const asked = join(directory, 'asked');
      await writePlugin(directory, tokens.address, asked);
      const flags = [
        `--image-credential-provider-config=${join(directory, 'providers.yaml')}`,
        `--image-credential-provider-bin-dir=${join(directory)}`,
      ];
      await withImages({ flags }, async (node) => {
        for (const [index, image] of images.entries()) {
          await node.writeManifest(`pod-${index}.yaml`, imagePod(`pod-${index}`, image));
          await node.waitReady(`pod-${index}`, PATIENCE_MS);
        }
      });
      const requests = (await readFile(asked, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.equal(requests.length, 1, 'one answer for the registry serves both images');
      assert.equal(requests[0].kind, 'CredentialProviderRequest');
      assert.ok(images[0]?.startsWith(`${requests[0].image}:`));
      assert.ok(server.asked.includes(ACCOUNT.username));
    } finally {
      await tokens.stop();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('a registry that is down, and one that breaks in the middle of a layer, are tried again until they are well', async () => {
    const down = await RegistryProxy.listen(registry.port);
    const breaking = await RegistryProxy.listen(registry.port);
    try {
      await withImages({}, async (node) => {
        const config = { auths: { [down.address]: ACCOUNT, [breaking.address]: ACCOUNT } };
        await writeFile(join(node.kubelet.rootDir, 'config.json'), JSON.stringify(config), { mode: 0o600 });
        const images = [
          `${down.address}/${await registry.push()}`,
          `${breaking.address}/${await registry.push()}`,
        ];
        pulled.push(...images);
        await down.goDown();
        breaking.mood = 'breaking';
        await node.writeManifest('down.yaml', imagePod('down', images[0] ?? ''));
        await node.writeManifest('broken.yaml', imagePod('broken', images[1] ?? ''));
        assert.match(
          await waitReason(node, 'down', /^(ErrImagePull|ImagePullBackOff)$/),
          /connection refused/,
        );
        await waitReason(node, 'broken', /^(ErrImagePull|ImagePullBackOff)$/);
        assert.ok(breaking.layers > 0, 'it broke in a layer');
        for (const name of ['down', 'broken'])
          assert.match(
            await explain(node, name),
            /^Waiting for the image "\S+" of container "main".*next try in/,
          );
        assert.match(
          await waitReason(node, 'down', /^ImagePullBackOff$/),
          /Back-off pulling image "\S+": ErrImagePull: /,
        );
        await down.comeBack();
        breaking.mood = 'well';
        await node.waitReady('down', PATIENCE_MS);
        await node.waitReady('broken', PATIENCE_MS);
      });
    } finally {
      await down.close();
      await breaking.close();
    }
  });

  it('a slow registry holds up only who waits for it; a pod deleted meanwhile is gone at once', async () => {
    const slow = await RegistryProxy.listen(registry.port);
    try {
      await withImages(
        { config: { serializeImagePulls: false }, leftoversGoWithinMs: 20_000 },
        async (node) => {
          await writeFile(
            join(node.kubelet.rootDir, 'config.json'),
            JSON.stringify(toDockerConfig(slow.address)),
            { mode: 0o600 },
          );
          const shared = `${slow.address}/${await registry.push()}`;
          const alone = `${slow.address}/${await registry.push()}`;
          pulled.push(shared, alone);
          slow.mood = 'slow';
          const begin = (name: string, image: string): Promise<unknown> =>
            node.writeManifest(`${name}.yaml`, imagePod(name, image));
          const waitExplained = (name: string): Promise<unknown> =>
            node.waitFor(
              `the pull for "${name}" to be explained`,
              async () =>
                /^Waiting for the pull of image "\S+" for container "main"/.test(await explain(node, name)),
              PATIENCE_MS,
            );
          for (const name of ['first', 'second', 'left-0']) await begin(name, shared);
          await begin('alone-0', alone);
          await node.waitFor('both layers to hang', () => slow.layers === 2, PATIENCE_MS);
          for (const name of ['second', 'alone-0']) await waitExplained(name);
          assert.equal(slow.layers, 2, 'who shows the same shares a pull');
          const limitMs = GRACE_SECONDS * 1000 + toLimitMs(1000, (await measureUsualPod(node)).endMs);
          for (const [kind, image] of Object.entries({ left: shared, alone }))
            await expectPrompt(`"${kind}" is gone`, limitMs, async (attempt) => {
              const name = `${kind}-${attempt}`;
              if (attempt > 0) await begin(name, image);
              await waitExplained(name);
              const removedAt = await node.removeManifest(`${name}.yaml`);
              const gone = await node.waitForLine(
                `that "${name}" is gone`,
                ({ msg, pod }) => msg === 'pod gone' && String(pod).startsWith(`${name}-`),
                PATIENCE_MS,
              );
              return gone.ts - removedAt;
            });
          const pulls = slow.layers;
          // A kill in the middle leaves the note that the pull was begun, and the next kubelet starts again.
          await node.kubelet.kill9();
          const begun = await readdir(join(node.kubelet.rootDir, 'image_manager', 'pulling'));
          assert.equal(begun.length, 2, 'of the pull that was killed, and of the one given up');
          await node.startAgain();
          await node.waitFor('the layer to hang again', () => slow.layers > pulls, PATIENCE_MS);
          slow.mood = 'well';
          await node.waitReady('first', PATIENCE_MS);
          await node.waitReady('second', PATIENCE_MS);
          assert.equal(slow.layers, pulls + 1, 'who shows the same shares a pull');
          const left = await readdir(join(node.kubelet.rootDir, 'image_manager', 'pulling'));
          assert.equal(left.length, 1, 'the outcome of the abandoned pull is still unknown');
          const said = node.logs.filter(
            ({ reason, message }) => reason === 'Pulled' && String(message).includes(shared),
          );
          assert.match(
            String(said[0]?.['message']),
            /^Successfully pulled image "\S+" in \S+s \(\S+s including waiting\)\. Image size: \d+ bytes\.$/,
          );
        },
      );
    } finally {
      await slow.close();
    }
  });
});

/** Answers for the registry, and notes each request. */
async function writePlugin(directory: string, address: string, asked: string): Promise<void> {
  const answer = {
    kind: 'CredentialProviderResponse',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    cacheKeyType: 'Registry',
    auth: { [address]: ACCOUNT },
  };
  await writeFile(join(directory, 'answer.json'), JSON.stringify(answer), { mode: 0o600 });
  const script = '#!/bin/sh\ncat >>"$ASKED"\ncat "$1"\n';
  await writeFile(join(directory, 'test-plugin'), script, { mode: 0o755 });
  const config = {
    apiVersion: 'kubelet.config.k8s.io/v1',
    kind: 'CredentialProviderConfig',
    providers: [
      {
        name: 'test-plugin',
        apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
        matchImages: [address],
        defaultCacheDuration: '10m',
        args: [join(directory, 'answer.json')],
        env: [{ name: 'ASKED', value: asked }],
      },
    ],
  };
  await writeFile(join(directory, 'providers.yaml'), JSON.stringify(config));
}
