/** What kubeadm is given for the cluster, and what runs on it: documents and objects, without effects. */

/**
 * How long certificates of nodes live. The signer dates them back by 5 minutes, and a kubelet renews its own at 70 to
 * 90 % of its life: 15 to 105 s after it got it.
 */
export const SIGNING_DURATION = '150s';

const KUBEADM = 'kubeadm.k8s.io/v1beta4';

/** What a host with cgroup v1 cannot pass. */
export const IGNORED_CHECKS = 'SystemVerification';

export interface ClusterParts {
  readonly version: string;
  readonly address: string;
  readonly runtime: string;
}

/** The file of `kubeadm init --config`. */
export function toInitDocuments({ version, address, runtime }: ClusterParts): string {
  const documents: readonly object[] = [
    {
      apiVersion: KUBEADM,
      kind: 'InitConfiguration',
      localAPIEndpoint: { advertiseAddress: address },
      nodeRegistration: { criSocket: runtime, ignorePreflightErrors: [IGNORED_CHECKS] },
    },
    {
      apiVersion: KUBEADM,
      kind: 'ClusterConfiguration',
      kubernetesVersion: `v${version}`,
      // In pieces of this size it gives the nodes what their runtimes have (env.sh).
      networking: { podSubnet: '10.192.0.0/15' },
      controllerManager: {
        extraArgs: [
          { name: 'node-cidr-mask-size', value: '16' },
          { name: 'cluster-signing-duration', value: SIGNING_DURATION },
        ],
      },
    },
    {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      cgroupDriver: 'cgroupfs',
      failCgroupV1: false,
      // How full the host's disk is must not matter, and images cannot be pulled again.
      evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1Gi', 'imagefs.available': '1Gi' },
      imageGCHighThresholdPercent: 100,
    },
    {
      apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
      kind: 'KubeProxyConfiguration',
      // Only the host's own network has these to set.
      conntrack: { maxPerCore: 0, min: 0 },
    },
  ];
  return documents.map((document) => JSON.stringify(document)).join('\n---\n');
}

/** A web server behind a Service; its pages show the pod's name. Its pods spread over the nodes. */
export function webObjects(replicas: number): readonly object[] {
  const labels = { app: 'web' };
  const probe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1 };
  const container = { name: 'web', image: 'localhost/demo-web:1', readinessProbe: probe };
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'DoNotSchedule',
    nodeTaintsPolicy: 'Honor',
    labelSelector: { matchLabels: labels },
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { topologySpreadConstraints: [spread], containers: [container] },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default' },
      spec: { type: 'NodePort', selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
    },
  ];
}

/** A pod on that node from which the tests look at the cluster. */
export function clientPod(name: string, nodeName: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName, containers: [{ name: 'main', image: 'localhost/kubeadm-client:1' }] },
  };
}
