/**
 * Random pods for the simulation. The image says what a container does (see
 * test/fakes/container-behaviour.ts); every pod has its own repository, so
 * that no two pods ever wait for the same pull.
 */
import type { Container, Pod, PodRestartPolicy, Probe } from '../../src/core/api/pod.ts';
import type { SeededRandom } from '../fakes/seeded-random.ts';

const MAIN_IMAGES = [
  'app:1',
  'app:2',
  'term:1500',
  'ignore-term:1',
  'exit:0-4000',
  'exit:1-2000',
  'exit:3-20000',
  'exit:0-90000',
];
const ODD_IMAGES = ['start-error:1', 'missing/app:1'];
const POLICIES: readonly PodRestartPolicy[] = ['Always', 'Always', 'OnFailure', 'Never'];

/** Succeeds while the container runs: a restart because of it is a mistake. */
const livenessProbe: Probe = {
  exec: { command: ['true'] },
  periodSeconds: 10,
  timeoutSeconds: 1,
  failureThreshold: 3,
  successThreshold: 1,
};

/** A pod with defaults filled in, as a source delivers it. */
export function makePod(random: SeededRandom, name: string, uid: string): Pod {
  const containers = ['main', ...(random.chance(0.35) ? ['second'] : [])].map((container) => ({
    ...makeContainer(container, `${name}/${mainImage(random)}`),
    ...(random.chance(0.1) ? { lifecycle: { preStop: { exec: { command: ['sleep', '1'] } } } } : {}),
    ...(random.chance(0.1) ? { livenessProbe } : {}),
  }));
  const initContainers = makeInitContainers(random, name);
  const isMounted = random.chance(0.3);
  const volumeMounts = [{ name: 'scratch', mountPath: '/scratch' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'sim', uid },
    spec: {
      containers: isMounted ? containers.map((container) => ({ ...container, volumeMounts })) : containers,
      ...(initContainers.length > 0 ? { initContainers } : {}),
      ...(isMounted ? { volumes: [{ name: 'scratch', emptyDir: {} }] } : {}),
      ...(random.chance(0.15) ? { hostNetwork: true } : {}),
      restartPolicy: random.pick(POLICIES),
      terminationGracePeriodSeconds: 1 + random.int(4),
      dnsPolicy: 'Default',
      enableServiceLinks: false,
    },
  };
}

function mainImage(random: SeededRandom): string {
  return random.chance(0.08) ? random.pick(ODD_IMAGES) : random.pick(MAIN_IMAGES);
}

function makeInitContainers(random: SeededRandom, name: string): Container[] {
  const containers: Container[] = [];
  if (random.chance(0.25)) {
    const image = random.chance(0.2) ? 'exit:1-300' : 'exit:0-300';
    containers.push(makeContainer('init', `${name}/${image}`));
  }
  if (random.chance(0.2))
    containers.push({ ...makeContainer('side', `${name}/side:1`), restartPolicy: 'Always' });
  return containers;
}

function makeContainer(name: string, image: string): Container {
  return {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  };
}
