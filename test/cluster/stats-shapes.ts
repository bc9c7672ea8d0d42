/** Pods whose statistics are compared: one of each class, with two containers, a volume, and the host's network. */

type Fields = Readonly<Record<string, unknown>>;

const REST = ['/bin/tini', '--', 'sleep', 'infinity'];
const WRITE =
  'dd if=/dev/zero of=/v/file bs=1M count=4; dd if=/dev/zero of=/file bs=1M count=2; exec sleep infinity';

const container = (name: string, more: Fields = {}): Fields => ({
  name,
  image: 'localhost/busybox:1',
  imagePullPolicy: 'IfNotPresent',
  command: REST,
  ...more,
});

const SPECS: Readonly<Record<string, Fields>> = {
  plain: { containers: [container('a')] },
  burstable: {
    containers: [
      container('writer', {
        command: ['/bin/tini', '--', 'sh', '-c', WRITE],
        resources: { requests: { cpu: '100m', memory: '20Mi' }, limits: { cpu: '200m', memory: '64Mi' } },
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
      }),
      container('beside'),
    ],
    volumes: [{ name: 'v', emptyDir: {} }],
  },
  guaranteed: { containers: [container('a', { resources: { limits: { cpu: '100m', memory: '64Mi' } } })] },
  host: { hostNetwork: true, containers: [container('a')] },
};

export const STATS_PODS = Object.entries(SPECS).map(([name, spec]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { terminationGracePeriodSeconds: 1, ...spec },
}));
