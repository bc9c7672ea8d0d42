/**
 * A pod can be taken away at any moment of its life: during a pull, in an
 * init container, in a hook, while it waits for a volume or its back-off. It
 * is gone within its grace and a second, and the audit finds nothing of it.
 */
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startHangingRegistry } from './hanging-registry.ts';
import { type TestNode, withNode } from './node.ts';
import { container, type SamplePod, samplePod } from './sample-pods.ts';
import { expectPrompt, measureUsualPod, toLimitMs } from './usual-pod.ts';

const GRACE_SECONDS = 2;
/** What a pod may take besides its grace, where an ordinary one does not need half of it. */
const MARGIN_MS = 1_000;

const POLITE = ['/bin/tini', '--', 'sleep', 'infinity'];
const DEAF = ['sh', '-c', "trap '' TERM; while :; do sleep 0.2; done"];
const HANGS = { exec: { command: ['sleep', '3600'] } };

const pod = (name: string, spec: Readonly<Record<string, unknown>>): SamplePod =>
  samplePod(name, { terminationGracePeriodSeconds: GRACE_SECONDS, ...spec });

/** Brings the pod to where it is to be taken away, and takes it away: how long until it was gone. */
async function measureEnd(
  node: TestNode,
  manifest: SamplePod,
  isThere: (node: TestNode) => Promise<unknown>,
): Promise<number> {
  const { name } = manifest.metadata;
  await node.writeManifest(`${name}.yaml`, manifest);
  await isThere(node);
  const removedAt = await node.removeManifest(`${name}.yaml`);
  const isItsEnd = ({ msg, pod: who }: { msg: string; [field: string]: unknown }): boolean =>
    msg === 'pod gone' && String(who).startsWith(node.podName(name));
  const line = await node.waitForLine(`that "${name}" is gone`, isItsEnd, 30_000);
  return line.ts - removedAt;
}

/** Fails when the pod took longer than its grace and a second, each time. */
async function expectPromptEnd(
  name: string,
  spec: Readonly<Record<string, unknown>>,
  isThere: (node: TestNode, name: string) => Promise<unknown>,
): Promise<void> {
  await withNode({}, async (node) => {
    const { endMs } = await measureUsualPod(node);
    const limitMs = GRACE_SECONDS * 1000 + toLimitMs(MARGIN_MS, endMs);
    await expectPrompt(`"${name}" is gone`, limitMs, (attempt) => {
      const current = `${name}-${attempt}`;
      return measureEnd(node, pod(current, spec), () => isThere(node, current));
    });
  });
}

/** Waits for a log line about the pod. */
function said(reasonOrMsg: string): (node: TestNode, name: string) => Promise<unknown> {
  return (node, name) =>
    node.waitForLine(
      `"${reasonOrMsg}" of "${name}"`,
      ({ msg, reason, pod: who }) =>
        (reason === reasonOrMsg || msg === reasonOrMsg) && String(who).includes(node.podName(name)),
      30_000,
    );
}

/** Until the process that a hook or container runs is there. */
function runs(containerName: string): (node: TestNode, name: string) => Promise<unknown> {
  return (node, name) =>
    node.waitFor(
      `container "${containerName}" of "${name}" to run`,
      async () =>
        (await node.cri.reader.listContainers()).some(
          (observed) =>
            observed.name === containerName &&
            observed.state === 'running' &&
            observed.labels['io.kubernetes.pod.name'] === node.podName(name),
        ),
      30_000,
    );
}

describe('a pod is gone within its grace and a second when it is taken away', () => {
  it('while its image is pulled from a registry that does not answer', async () => {
    await using registry = await startHangingRegistry();
    await expectPromptEnd(
      'pull',
      {
        containers: [
          container('up', POLITE),
          { name: 'main', image: registry.image, imagePullPolicy: 'Always' },
        ],
      },
      async (node, name) => {
        const before = registry.asked;
        await said('Pulling')(node, name);
        await node.waitFor('the registry to be asked', () => registry.asked > before, 20_000);
      },
    );
  });

  it('while an init container runs that does not listen', () =>
    expectPromptEnd(
      'init',
      { initContainers: [container('first', DEAF)], containers: [container('main', POLITE)] },
      runs('first'),
    ));

  it('while a postStart hook hangs', () =>
    expectPromptEnd(
      'poststart',
      { containers: [container('main', POLITE, { lifecycle: { postStart: HANGS } })] },
      said('Started'),
    ));

  it('while a preStop hook hangs', () =>
    expectPromptEnd(
      'prestop',
      { containers: [container('main', POLITE, { lifecycle: { preStop: HANGS } })] },
      runs('main'),
    ));

  it('while it waits for a volume', () =>
    expectPromptEnd(
      'volume',
      {
        containers: [container('main', POLITE, { volumeMounts: [{ name: 'absent', mountPath: '/absent' }] })],
        volumes: [
          { name: 'absent', hostPath: { path: join('/nowhere', 'on', 'this', 'host'), type: 'Directory' } },
        ],
      },
      said('FailedMount'),
    ));

  it('while a crashed container waits for its back-off', () =>
    expectPromptEnd('loop', { containers: [container('main', ['sh', '-c', 'exit 1'])] }, said('BackOff')));

  it('before it has a sandbox', () =>
    expectPromptEnd('early', { containers: [container('main', POLITE)] }, said('pod added')));

  it('while its sidecars wait for a main container that does not listen', () =>
    expectPromptEnd(
      'sidecar',
      {
        initContainers: [container('side', POLITE, { restartPolicy: 'Always' })],
        containers: [container('main', DEAF)],
      },
      runs('main'),
    ));
});
