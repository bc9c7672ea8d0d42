/**
 * Pods of many shapes as far as resources go, for comparing the cgroups two
 * kubelets make of them. Small enough to fit on two cores all at once. Their
 * UIDs are written down so that both kubelets use the same.
 */

type Amounts = Readonly<Record<string, string>>;
type Resources = { readonly requests?: Amounts; readonly limits?: Amounts };
type Fields = Readonly<Record<string, unknown>>;

export interface Shape {
  readonly name: string;
  readonly uid: string;
  readonly manifest: object;
}

const IMAGE = 'localhost/busybox:1';
const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];

const run = (name: string, resources: Resources = {}, more: Fields = {}): object => ({
  name,
  image: IMAGE,
  imagePullPolicy: 'IfNotPresent',
  command: SLEEP,
  resources,
  ...more,
});
const runOnce = (name: string, resources: Resources): object => run(name, resources, { command: ['true'] });
const both = (cpu: string, memory: string): Resources => ({
  requests: { cpu, memory },
  limits: { cpu, memory },
});

const SPECS: Readonly<Record<string, Fields>> = {
  guaranteed: { containers: [run('a', both('100m', '64Mi'))] },
  'guaranteed-two': { containers: [run('a', both('50m', '32Mi')), run('b', both('33m', '48Mi'))] },
  'guaranteed-init': {
    initContainers: [runOnce('i', both('200m', '96Mi'))],
    containers: [run('a', both('100m', '64Mi'))],
  },
  'burstable-requests': { containers: [run('a', { requests: { cpu: '120m', memory: '64Mi' } })] },
  'burstable-limits': {
    containers: [
      run('a', { requests: { cpu: '1m', memory: '16Mi' }, limits: { cpu: '333m', memory: '64Mi' } }),
    ],
  },
  'burstable-least-quota': {
    containers: [run('a', { requests: { memory: '16Mi' }, limits: { cpu: '5m', memory: '64Mi' } })],
  },
  'burstable-half-limited': {
    containers: [
      run('a', { requests: { cpu: '25m', memory: '16Mi' }, limits: { cpu: '50m', memory: '32Mi' } }),
      run('b', { requests: { cpu: '10m', memory: '8Mi' } }),
    ],
  },
  'burstable-memory-only': { containers: [run('a', { limits: { memory: '64Mi' } })] },
  'burstable-init-unlimited': {
    initContainers: [runOnce('i', { requests: { cpu: '150m' } })],
    containers: [run('a', both('50m', '64Mi'))],
  },
  'burstable-sidecar': {
    initContainers: [
      run(
        's',
        { requests: { cpu: '20m', memory: '16Mi' }, limits: { cpu: '40m', memory: '32Mi' } },
        {
          restartPolicy: 'Always',
        },
      ),
      runOnce('i', both('90m', '80Mi')),
    ],
    containers: [run('a', both('50m', '32Mi'))],
  },
  'burstable-overhead': {
    overhead: { cpu: '30m', memory: '12Mi' },
    containers: [
      run('a', { requests: { cpu: '20m', memory: '16Mi' }, limits: { cpu: '100m', memory: '64Mi' } }),
    ],
  },
  besteffort: { containers: [run('a'), run('b')] },
  'besteffort-overhead': { overhead: { cpu: '15m', memory: '6Mi' }, containers: [run('a')] },
  'pod-level-guaranteed': {
    resources: both('80m', '96Mi'),
    containers: [run('a', { requests: { cpu: '20m' } }), run('b')],
  },
  'pod-level-limits': { resources: { limits: { cpu: '70m', memory: '80Mi' } }, containers: [run('a')] },
  'pod-level-requests': {
    resources: { requests: { cpu: '60m', memory: '48Mi' } },
    containers: [run('a', { limits: { cpu: '40m' } }), run('b', { requests: { cpu: '10m' } })],
  },
};

export const SHAPES: readonly Shape[] = Object.entries(SPECS).map(([name, spec], index) => {
  const uid = `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid },
    spec: { terminationGracePeriodSeconds: 1, ...spec },
  };
  return { name, uid, manifest };
});
