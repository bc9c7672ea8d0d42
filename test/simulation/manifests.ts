/**
 * Random pods for the simulation. The image says what a container does (see
 * test/fakes/container-behaviour.ts); every pod has its own repository, so
 * that no two pods ever wait for the same pull. What its probes and hooks
 * answer stands in the script book.
 */
import type {
  Container,
  EphemeralContainer,
  Pod,
  PodRestartPolicy,
  ResourceRequirements,
} from '../../src/core/api/pod.ts';
import type { SeededRandom } from '../fakes/seeded-random.ts';
import { makeHandlers } from './handlers.ts';
import type { ScriptBook } from './script-book.ts';

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
/** Cannot be started, pulled, named, pulled quickly. */
const ODD_IMAGES = ['start-error:1', 'missing/app:1', 'Wrong/app:1', 'slow/app:1'];
const POLICIES: readonly PodRestartPolicy[] = ['Always', 'Always', 'OnFailure', 'Never'];

export interface PodMaker {
  readonly random: SeededRandom;
  readonly book: ScriptBook;
  readonly name: string;
  readonly uid: string;
}

/** A pod with defaults filled in, as a source delivers it. */
export function makePod(maker: PodMaker): Pod {
  const { random, name, uid } = maker;
  const resources = random.chance(0.4) ? makeResources(random) : undefined;
  const containers = ['main', ...(random.chance(0.35) ? ['second'] : [])]
    .map((container) => ({
      ...makeContainer(container, `${name}/${mainImage(random)}`),
      ...makeHandlers({ ...maker, container }),
    }))
    .map((container) => (resources === undefined ? container : { ...container, resources }))
    .map((container) =>
      container.image?.includes('slow/') || random.chance(0.9)
        ? container
        : { ...container, imagePullPolicy: random.pick(['Always', 'Never'] as const) },
    );
  const initContainers = makeInitContainers(maker);
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

/** The pod with other resources for its main containers; undefined when it has none. */
export function withResources(random: SeededRandom, pod: Pod): Pod | undefined {
  const { containers } = pod.spec;
  if (containers.some(({ resources }) => resources === undefined)) return undefined;
  const changed = containers.map((container) => ({ ...container, resources: makeResources(random) }));
  const generation = (pod.metadata.generation ?? 1) + 1;
  return {
    ...pod,
    metadata: { ...pod.metadata, generation },
    spec: { ...pod.spec, containers: changed },
  };
}

/** Always burstable: the class of a pod does not change. */
function makeResources(random: SeededRandom): ResourceRequirements {
  const cpu = 100 + random.int(10) * 50;
  const memory = 32 + random.int(10) * 16;
  return {
    requests: { cpu: `${cpu}m`, memory: `${memory}Mi` },
    limits: { cpu: `${cpu * 2}m`, memory: `${memory * 2}Mi` },
  };
}

/** The pod with one more container to look around in. */
export function withEphemeral(random: SeededRandom, pod: Pod): Pod {
  const { ephemeralContainers = [] } = pod.spec;
  const image = `${pod.metadata.name}/${random.pick(['app:1', 'exit:0-4000', 'start-error:1'])}`;
  const debug: EphemeralContainer = makeContainer(`debug${ephemeralContainers.length}`, image);
  return { ...pod, spec: { ...pod.spec, ephemeralContainers: [...ephemeralContainers, debug] } };
}

function mainImage(random: SeededRandom): string {
  return random.chance(0.1) ? random.pick(ODD_IMAGES) : random.pick(MAIN_IMAGES);
}

function makeInitContainers(maker: PodMaker): Container[] {
  const { random, name } = maker;
  const containers: Container[] = [];
  const side = (container: string): Container => ({
    ...makeContainer(container, `${name}/${random.pick(['side:1', 'side:1', 'term:1500', 'exit:1-20000'])}`),
    restartPolicy: 'Always',
    ...makeHandlers({ ...maker, container }),
  });
  if (random.chance(0.25)) {
    const image = random.chance(0.2) ? 'exit:1-300' : 'exit:0-300';
    containers.push(makeContainer('init', `${name}/${image}`));
  }
  if (random.chance(0.25)) containers.push(side('side'));
  if (random.chance(0.1)) containers.push(makeContainer('late', `${name}/exit:0-900`));
  if (random.chance(0.1)) containers.push(side('more'));
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
