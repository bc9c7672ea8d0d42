/**
 * Where a kubelet of `kubelet run` has what is its own: everything below one directory, and one cgroup. The names
 * come from the manifests, so that a run that was killed or left is found again by the next one of the same files,
 * and two runs of different files never meet. Pure.
 */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

export const RUN_DIRECTORY = '/var/lib/kubelet-run';
/** A socket below the directory must not be longer than 107 bytes. */
const MAX_NAME_LENGTH = 24;
const HASH_LENGTH = 8;

export interface RunPlace {
  /** Marks the pods of this run among those of the runtime. */
  readonly owner: string;
  /** The root directory of the kubelet; the rest is inside. */
  readonly rootDir: string;
  readonly manifestDir: string;
  readonly podLogsDir: string;
  readonly configFile: string;
  readonly logFile: string;
  /** Held while the run is under way; its being there says that the directory is of a run. */
  readonly lockFile: string;
  readonly cgroupRoot: string;
}

/** `sources` are absolute paths, or one word for what has none; `rootDir` where one was named. */
export function toRunPlace(sources: readonly string[], rootDir?: string): RunPlace {
  const seed = rootDir ?? sources.join('\n');
  const hash = createHash('sha256').update(seed).digest('hex').slice(0, HASH_LENGTH);
  const name = `${toName(sources[0] ?? '')}-${hash}`;
  const root = rootDir ?? join(RUN_DIRECTORY, name);
  const own = join(root, 'run');
  return {
    owner: name,
    rootDir: root,
    manifestDir: join(own, 'manifests'),
    podLogsDir: join(own, 'logs'),
    configFile: join(own, 'config.json'),
    logFile: join(own, 'kubelet.log'),
    lockFile: join(own, 'lock'),
    cgroupRoot: `/kubeletrun${hash}`,
  };
}

/** What a label, a directory and a person can read. */
function toName(source: string): string {
  const plain = basename(source)
    .replace(/\.(ya?ml|json)$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' ? 'pods' : plain;
}

/** The command line of the kubelet. */
export function toRunArguments({ configFile, rootDir }: RunPlace): string[] {
  return [
    `--config=${configFile}`,
    `--root-dir=${rootDir}`,
    `--cert-dir=${rootDir}/pki`,
    '--page-port=0',
    '--v=2',
  ];
}

/** Nothing else may ever be taken away to make room. */
const NEVER = '0%';

/**
 * The configuration of a guest: no ports, as another kubelet may have them, a cgroup of its own, and no care for the
 * machine (eviction, collection of images), which is not this kubelet's.
 */
export function toRunConfiguration(place: RunPlace, endpoint: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: endpoint,
    staticPodPath: place.manifestDir,
    podLogsDir: place.podLogsDir,
    cgroupRoot: place.cgroupRoot,
    failCgroupV1: false,
    failSwapOn: false,
    enableServer: false,
    readOnlyPort: 0,
    healthzPort: 0,
    authentication: { anonymous: { enabled: false }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    imageGCHighThresholdPercent: 100,
    evictionHard: {
      'memory.available': NEVER,
      'nodefs.available': NEVER,
      'nodefs.inodesFree': NEVER,
      'imagefs.available': NEVER,
      'imagefs.inodesFree': NEVER,
    },
  };
}
