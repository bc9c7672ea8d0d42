/** How containers end on real containerd: exit codes, signals, memory, and what their end leads to. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { ListedPod } from '../../scripts/demo/kubelet-process.ts';
import type { ContainerStatus } from '../../src/core/api/pod-status.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import { journalMount, journalVolume, readJournal, write } from './journal.ts';
import { containerStatus, type TestNode, withNode } from './node.ts';
import { container, samplePod, scriptPod } from './sample-pods.ts';
import { measureUsualPod } from './usual-pod.ts';

const sh = (script: string): readonly string[] => ['sh', '-c', script];

function waitPhase(node: TestNode, name: string, phase: string): Promise<ListedPod> {
  return node.waitFor(
    `pod "${name}" to be ${phase}`,
    async () => {
      const pod = await node.pod(name);
      return pod?.status.phase === phase ? pod : undefined;
    },
    40_000,
  );
}

/** Waits until the status of a container fits. */
function waitStatus(
  node: TestNode,
  pod: string,
  name: string,
  what: string,
  fits: (status: ContainerStatus) => boolean,
): Promise<ContainerStatus> {
  return node.waitFor(
    what,
    async () => {
      const listed = await node.pod(pod);
      const status = listed === undefined ? undefined : containerStatus(listed, name);
      return status !== undefined && fits(status) ? status : undefined;
    },
    40_000,
  );
}

const ended = ({ state }: ContainerStatus): readonly unknown[] => [
  state.terminated?.exitCode,
  state.terminated?.reason,
];

describe('the end of a container', () => {
  it('is reported with exit code and reason: its own, a signal, memory, a missing program', () =>
    withNode({}, async (node) => {
      await node.writeManifest(
        'ends.yaml',
        samplePod('ends', {
          restartPolicy: 'Never',
          containers: [
            container('good', sh('exit 0')),
            container('bad', sh('exit 42')),
            // Two dollars are one to the kubelet.
            container('aborted', ['/bin/tini', '--', 'sh', '-c', 'kill -ABRT $$$$']),
            container('killed', ['/bin/tini', '--', 'sleep', 'infinity']),
            container('hungry', sh('x=0123456789abcdef; while :; do x=$x$x; done'), {
              resources: { limits: { memory: '24Mi' } },
            }),
            container('nowhere', ['/no/such/program']),
          ],
        }),
      );
      await waitStatus(
        node,
        'ends',
        'killed',
        'the container to run',
        ({ state }) => state.running !== undefined,
      );
      await killFromOutside(node, 'ends', 'killed');
      const pod = await waitPhase(node, 'ends', 'Failed');
      const ends = Object.fromEntries(
        (pod.status.containerStatuses ?? []).map((each) => [each.name, ended(each)]),
      );
      assert.deepEqual(ends, {
        good: [0, 'Completed'],
        bad: [42, 'Error'],
        aborted: [134, 'Error'],
        killed: [137, 'Error'],
        hungry: [137, 'OOMKilled'],
        nowhere: [128, 'StartError'],
      });
      for (const { restartCount } of pod.status.containerStatuses ?? []) assert.equal(restartCount, 0);
    }));
});

describe('a container that ends', () => {
  it('is restarted at once, then after its back-off, which status and events show', () =>
    withNode({ config: { crashLoopBackOff: { maxContainerRestartPeriod: '3s' } } }, async (node) => {
      await node.writeManifest('loop.yaml', scriptPod('loop', 'exit 5'));
      const waiting = await waitStatus(
        node,
        'loop',
        'main',
        'the crash loop to wait',
        ({ state, restartCount }) => state.waiting?.reason === 'CrashLoopBackOff' && restartCount === 1,
      );
      const uid = (await node.pod('loop'))?.metadata.uid;
      assert.equal(
        waiting.state.waiting?.message,
        `back-off 3s restarting failed container=main pod=${node.podName('loop')}_default(${uid})`,
      );
      assert.equal(waiting.lastState.terminated?.exitCode, 5);
      await node.waitForLine(
        'the back-off',
        ({ reason, message }) =>
          reason === 'BackOff' &&
          message ===
            `Back-off restarting failed container main in pod ${node.podName('loop')}_default(${uid})`,
        30_000,
      );
      const third = await waitStatus(
        node,
        'loop',
        'main',
        'two more restarts',
        ({ restartCount }) => restartCount >= 3,
      );
      assert.ok(third.restartCount >= 3);
      const events = node.logs.filter(({ msg }) => msg === 'event');
      const starts = events.filter(({ reason }) => reason === 'Started');
      // The first restart waits for nothing, every other one for the whole back-off.
      const waits = starts.slice(1).map(({ ts }, index) => {
        const sinceMs = starts[index]?.ts ?? 0;
        return events.some((event) => event.reason === 'BackOff' && event.ts > sinceMs && event.ts < ts);
      });
      assert.deepEqual(waits.slice(0, 2), [false, true], 'the first restart does not wait, the second does');
      const [firstGap = 0, ...gaps] = starts.slice(1).map(({ ts }, index) => ts - (starts[index]?.ts ?? 0));
      for (const gap of gaps) assert.ok(gap >= 3_000, `restarts ${gaps} ms apart`);
      assert.ok(firstGap < Math.min(...gaps), `restarts ${firstGap}, ${gaps} ms apart`);
    }));

  it('is restarted by the policy of the pod, its own, and its rules by exit code', () =>
    withNode({}, async (node) => {
      /** Ends with the first code, and after a restart with the second. */
      const twice = (name: string, first: number, then: number): readonly string[] =>
        sh(`[ -e /journal/${name} ] && exit ${then}; touch /journal/${name}; exit ${first}`);
      const rules = (action: string, code: number): object => ({
        restartPolicy: 'Never',
        restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [code] } }],
      });
      const volumes = [await journalVolume(node)];
      const pods = {
        failing: {
          restartPolicy: 'OnFailure',
          containers: [container('main', twice('failing', 3, 0), journalMount)],
        },
        ruled: {
          restartPolicy: 'Never',
          containers: [
            container('main', twice('ruled', 42, 7), { ...journalMount, ...rules('Restart', 42) }),
          ],
        },
        own: {
          restartPolicy: 'Always',
          containers: [container('main', twice('own', 3, 3), { ...journalMount, restartPolicy: 'Never' })],
        },
      };
      for (const [name, spec] of Object.entries(pods))
        await node.writeManifest(`${name}.yaml`, samplePod(name, { ...spec, volumes }));
      const failing = containerStatus(await waitPhase(node, 'failing', 'Succeeded'), 'main');
      assert.deepEqual([failing.restartCount, ...ended(failing)], [1, 0, 'Completed']);
      assert.equal(failing.lastState.terminated?.exitCode, 3);
      const ruled = containerStatus(await waitPhase(node, 'ruled', 'Failed'), 'main');
      assert.deepEqual([ruled.restartCount, ...ended(ruled)], [1, 7, 'Error']);
      const own = containerStatus(await waitPhase(node, 'own', 'Failed'), 'main');
      assert.deepEqual([own.restartCount, ...ended(own)], [0, 3, 'Error']);
    }));

  it('restarts all containers of its pod, init containers first, when a rule says so', () =>
    withNode({}, async (node) => {
      const source = sh(
        `[ -e /journal/once ] || { touch /journal/once; ${write('source ends')}; exit 88; }; ${write('source stays')}; exec /bin/tini -- sleep infinity`,
      );
      const rule = { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [88] } };
      await node.writeManifest(
        'all.yaml',
        samplePod('all', {
          restartPolicy: 'Never',
          initContainers: [container('init', sh(write('init')), journalMount)],
          containers: [
            container('source', source, {
              ...journalMount,
              restartPolicy: 'Never',
              restartPolicyRules: [rule],
            }),
            container('other', ['/bin/tini', '--', 'sleep', 'infinity']),
          ],
          volumes: [await journalVolume(node)],
        }),
      );
      await node.waitFor(
        'the source to stay',
        async () => (await readJournal(node)).includes('source stays'),
        40_000,
      );
      assert.deepEqual(await readJournal(node), ['init', 'source ends', 'init', 'source stays']);
      const pod = await node.waitReady('all');
      for (const name of ['source', 'other'])
        assert.equal(containerStatus(pod, name).restartCount, 1, `restarts of ${name}`);
    }));
});

describe('a container that is ended', () => {
  it('because of its liveness or startup probe is started again, with the grace of the probe', () =>
    withNode({}, async (node) => {
      // Ill and deaf in its first life, well in its second.
      const recovering = (name: string): readonly string[] =>
        sh(
          `[ -e /journal/${name} ] && { touch /tmp/well; exec /bin/tini -- sleep infinity; }; touch /journal/${name}; trap '' TERM; while :; do sleep 1; done`,
        );
      const probe = {
        exec: { command: ['test', '-e', '/tmp/well'] },
        periodSeconds: 1,
        timeoutSeconds: 5,
        failureThreshold: 2,
        terminationGracePeriodSeconds: 1,
      };
      await node.writeManifest(
        'probed.yaml',
        samplePod('probed', {
          terminationGracePeriodSeconds: 600,
          containers: [
            container('ill', recovering('ill'), { ...journalMount, livenessProbe: probe }),
            container('slow', recovering('slow'), { ...journalMount, startupProbe: probe }),
            container('well', ['/bin/tini', '--', 'sleep', 'infinity'], {
              livenessProbe: { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 5 },
            }),
          ],
          volumes: [await journalVolume(node)],
        }),
      );
      for (const [name, kind] of [
        ['ill', 'liveness'],
        ['slow', 'startup'],
      ] as const)
        await node.waitForLine(
          `that ${name} is ended`,
          ({ reason, message }) =>
            reason === 'Killing' && message === `Container ${name} failed ${kind} probe, will be restarted`,
          30_000,
        );
      // Ready may also be reported while the first life of one of them is still being ended.
      for (const name of ['ill', 'slow'])
        await waitStatus(
          node,
          'probed',
          name,
          `the second life of ${name}`,
          ({ restartCount, ready }) => restartCount === 1 && ready,
        );
      const pod = await node.waitReady('probed');
      const restarts = ['ill', 'slow', 'well'].map((name) => {
        const { restartCount, lastState } = containerStatus(pod, name);
        return [restartCount, lastState.terminated?.exitCode];
      });
      assert.deepEqual(restarts, [
        [1, 137],
        [1, 137],
        [0, undefined],
      ]);
    }));
});

describe('a pod', () => {
  it('that is active for longer than it may ends as Failed', () =>
    withNode({}, async (node) => {
      // Time enough for the container to start, also on a busy machine.
      const { startMs } = await measureUsualPod(node);
      const activeDeadlineSeconds = Math.max(8, Math.ceil((4 * startMs) / 1000));
      await node.writeManifest(
        'late.yaml',
        samplePod('late', {
          activeDeadlineSeconds,
          containers: [container('main', ['/bin/tini', '--', 'sleep', 'infinity'])],
        }),
      );
      const pod = await waitPhase(node, 'late', 'Failed');
      assert.equal(pod.status.reason, 'DeadlineExceeded');
      assert.equal(pod.status.message, 'Pod was active on the node longer than the specified deadline');
      assert.equal(containerStatus(pod, 'main').state.terminated?.exitCode, 143);
    }));

  it('whose image has no right name, or may not be pulled, says so and waits', () =>
    withNode({}, async (node) => {
      await node.writeManifest(
        'images.yaml',
        samplePod('images', {
          containers: [
            { name: 'wrong', image: 'localhost/Not A Name:1', imagePullPolicy: 'IfNotPresent' },
            { name: 'never', image: 'localhost/absent:1', imagePullPolicy: 'Never' },
            container('good', ['/bin/tini', '--', 'sleep', 'infinity']),
          ],
        }),
      );
      for (const [name, reason] of [
        ['wrong', 'InvalidImageName'],
        ['never', 'ErrImageNeverPull'],
      ] as const)
        await waitStatus(
          node,
          'images',
          name,
          `${name} to wait`,
          ({ state }) => state.waiting?.reason === reason,
        );
      await waitStatus(
        node,
        'images',
        'good',
        'the other to run',
        ({ state }) => state.running !== undefined,
      );
      await node.waitForLine(
        'that the image may not be pulled',
        ({ reason, message }) =>
          reason === 'ErrImageNeverPull' &&
          message === 'Container image "localhost/absent:1" is not present with pull policy of Never',
        30_000,
      );
      assert.equal((await node.pod('images'))?.status.phase, 'Pending');
    }));
});

/** Ends the first process of a container with SIGKILL, as an administrator of the host might. */
async function killFromOutside(node: TestNode, pod: string, name: string): Promise<void> {
  const uid = (await node.pod(pod))?.metadata.uid ?? '';
  const listed = await node.cri.reader.listContainers(toPodUid(uid));
  const found = listed.find((candidate) => candidate.name === name && candidate.state === 'running');
  assert.ok(found, `container "${name}" runs`);
  const { info } = await node.cri.client.call('containerStatus', { containerId: found.id, verbose: true });
  const { pid } = JSON.parse(info['info'] ?? '{}') as { pid: number };
  assert.match(await readFile(`/proc/${pid}/cgroup`, 'utf8'), new RegExp(found.id));
  process.kill(pid, 'SIGKILL');
}
