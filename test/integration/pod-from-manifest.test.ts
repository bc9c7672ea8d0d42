/** A pod from a manifest on real containerd: order, network, status, and what the runtime is sent. */
import assert from 'node:assert/strict';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { get } from 'node:http';
import { describe, it } from 'node:test';
import { toPodUid } from '../../src/core/model/ids.ts';
import type { ObservedContainer } from '../../src/core/model/observed-pod.ts';
import { cgroupDirectory, containerCgroup } from './cgroup-paths.ts';
import {
  type ContainerdVersion,
  containerdEndpoint,
  containerStatus,
  type TestNode,
  withNode,
} from './node.ts';
import { container, DEMO_WEB, type SamplePod, samplePod, scriptPod, sleepingPod } from './sample-pods.ts';
import { expectPrompt, measureUsualPod, toLimitMs } from './usual-pod.ts';

const WEB_POD = {
  ...samplePod('web', {
    initContainers: [
      container('prepare', ['sh', '-c', 'echo preparing']),
      container('side', ['/bin/tini', '--', 'sleep', 'infinity'], { restartPolicy: 'Always' }),
    ],
    containers: [
      {
        name: 'web',
        image: DEMO_WEB,
        imagePullPolicy: 'IfNotPresent',
        ports: [{ containerPort: 8080 }],
        readinessProbe: { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 },
      },
    ],
  }),
  metadata: { name: 'web', labels: { app: 'web' }, annotations: { note: 'kept' } },
};

for (const version of ['2.1', '1.6'] as const) {
  describe(`pod from a manifest on containerd ${version}`, () => {
    it('starts init, sidecar and main container in order and answers on its address', () =>
      withNode({ endpoint: containerdEndpoint(version) }, async (node) => {
        await node.writeManifest('web.yaml', WEB_POD);
        const pod = await node.waitReady('web');
        assert.equal(pod.status.phase, 'Running');
        assert.equal(containerStatus(pod, 'prepare').state.terminated?.exitCode, 0);
        assert.ok(containerStatus(pod, 'side').state.running);
        assert.match(await httpGet(String(pod.status.podIP), 8080, '/'), /Hello from kubelet-ts/);

        const containers = await readContainers(node, pod.metadata.uid);
        const [prepare, side, web] = ['prepare', 'side', 'web'].map((name) => single(containers, name));
        assert.ok(
          at(prepare, 'finishedAtMs') <= at(side, 'startedAtMs'),
          'the sidecar starts after the init container',
        );
        assert.ok(
          at(side, 'startedAtMs') <= at(web, 'startedAtMs'),
          'the main container starts after the sidecar',
        );
        await checkIdentity(node, pod.metadata.uid, web!, version);
      }));

    it('ends Succeeded or Failed by the exit codes, with the last words', () =>
      withNode({ endpoint: containerdEndpoint(version) }, async (node) => {
        await node.writeManifest(
          'good.yaml',
          scriptPod('good', 'echo bye > /dev/termination-log', { restartPolicy: 'Never' }),
        );
        await node.writeManifest(
          'bad.yaml',
          scriptPod('bad', 'echo broken > /dev/termination-log; exit 7', { restartPolicy: 'Never' }),
        );
        const ended = (name: string, phase: string) =>
          node.waitFor(
            `pod "${name}" to be ${phase}`,
            async () => {
              const pod = await node.pod(name);
              return pod?.status.phase === phase ? pod : undefined;
            },
            30_000,
          );
        const good = containerStatus(await ended('good', 'Succeeded'), 'main').state.terminated;
        assert.deepEqual([good?.exitCode, good?.reason, good?.message], [0, 'Completed', 'bye\n']);
        const bad = containerStatus(await ended('bad', 'Failed'), 'main').state.terminated;
        assert.deepEqual([bad?.exitCode, bad?.reason, bad?.message], [7, 'Error', 'broken\n']);
        assert.equal(containerStatus((await node.pod('bad'))!, 'main').restartCount, 0);
      }));

    it('is gone within its grace and one second after the manifest is removed', () =>
      withNode({ endpoint: containerdEndpoint(version) }, async (node) => {
        const graceSeconds = 3;
        const { endMs } = await measureUsualPod(node);
        const marginMs = toLimitMs(1000, endMs);
        const measureEnd = async (name: string, manifest: SamplePod): Promise<number> => {
          await node.writeManifest(`${name}.yaml`, manifest);
          await node.waitReady(name);
          const removedAt = await node.removeManifest(`${name}.yaml`);
          const line = await node.waitForLine(
            `that "${name}" is gone`,
            ({ msg, pod }) => msg === 'pod gone' && String(pod).startsWith(node.podName(name)),
            60_000,
          );
          return line.ts - removedAt;
        };
        await Promise.all([
          expectPrompt('the polite pod is gone', marginMs, (attempt) =>
            measureEnd(`polite-${attempt}`, sleepingPod(`polite-${attempt}`)),
          ),
          expectPrompt('the stubborn pod is gone', graceSeconds * 1000 + marginMs, async (attempt) => {
            const name = `stubborn-${attempt}`;
            // A shell that does not end when asked: it takes all of its grace.
            const manifest = scriptPod(name, "trap '' TERM; while true; do sleep 1; done", {
              terminationGracePeriodSeconds: graceSeconds,
            });
            const tookMs = await measureEnd(name, manifest);
            assert.ok(tookMs >= graceSeconds * 1000 - 50, `gone after ${tookMs} ms, before its grace`);
            return tookMs;
          }),
        ]);
      }));
  });
}

/** Labels, annotations, paths and cgroup exactly as other programs and an upstream kubelet expect them. */
async function checkIdentity(
  node: TestNode,
  uid: string,
  web: ObservedContainer,
  version: ContainerdVersion,
): Promise<void> {
  const podName = node.podName('web');
  const podLabels = {
    'io.kubernetes.pod.name': podName,
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.pod.uid': uid,
  };
  assert.deepEqual(web.labels, { 'io.kubernetes.container.name': 'web', ...podLabels });
  const { 'io.kubernetes.container.hash': hash, ...annotations } = web.annotations;
  assert.match(hash ?? '', /^[0-9a-f]{1,8}$/);
  assert.deepEqual(annotations, {
    'io.kubernetes.container.ports': '[{"containerPort":8080,"protocol":"TCP"}]',
    'io.kubernetes.container.restartCount': '0',
    'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
    'io.kubernetes.container.terminationMessagePolicy': 'File',
    'io.kubernetes.pod.terminationGracePeriod': '5',
  });

  const [sandbox] = await node.cri.reader.listSandboxes(toPodUid(uid));
  assert.ok(sandbox);
  assert.deepEqual(sandbox.labels, { app: 'web', ...podLabels });
  assert.deepEqual(Object.keys(sandbox.annotations).sort(), [
    'kubernetes.io/config.hash',
    'kubernetes.io/config.seen',
    'kubernetes.io/config.source',
    'note',
  ]);
  assert.equal(sandbox.annotations['kubernetes.io/config.source'], 'file');
  assert.equal(sandbox.annotations['kubernetes.io/config.hash'], uid);

  const logPath = `${node.kubelet.podLogsDir}/default_${podName}_${uid}/web/0.log`;
  assert.equal(web.details?.logPath, logPath);
  assert.ok((await lstat(logPath)).isFile());
  assert.equal(await readlink(`/var/log/containers/${podName}_default_web-${web.id}.log`), logPath);

  const { info } = await node.cri.client.call('containerStatus', { containerId: web.id, verbose: true });
  const { pid } = JSON.parse(info['info'] ?? '{}') as { pid: number };
  const cgroups = await readFile(`/proc/${pid}/cgroup`, 'utf8');
  const directory = cgroupDirectory(node, '', `besteffort/pod${uid}`).replace('/sys/fs/cgroup', '');
  assert.ok(
    cgroups.split('\n').some((line) => line.endsWith(`:${directory}/${containerCgroup(web.id)}`)),
    `containerd ${version}: ${cgroups}`,
  );
}

async function readContainers(node: TestNode, uid: string): Promise<ObservedContainer[]> {
  const listed = await node.cri.reader.listContainers(toPodUid(uid));
  const statuses = await Promise.all(listed.map(({ id }) => node.cri.reader.containerStatus(id)));
  return statuses.filter((status) => status !== undefined);
}

function single(containers: readonly ObservedContainer[], name: string): ObservedContainer {
  const found = containers.filter((candidate) => candidate.name === name);
  assert.equal(found.length, 1, `containers called "${name}"`);
  return found[0]!;
}

function at(observed: ObservedContainer | undefined, when: 'startedAtMs' | 'finishedAtMs'): number {
  const time = observed?.details?.[when];
  assert.ok(time !== undefined, `container "${observed?.name}" has no ${when}`);
  return time;
}

function httpGet(host: string, port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ host, port, path, agent: false, timeout: 30_000 }, (response) => {
      response.setEncoding('utf8');
      let body = '';
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve(body));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer from ${host}:${port}`)));
    request.on('error', reject);
  });
}
