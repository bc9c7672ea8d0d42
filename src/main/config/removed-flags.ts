/**
 * Flags that older kubelets had: a node that is upgraded still has them on its command line, and learns here what
 * to do instead. They are refused like any unknown flag, as upstream does.
 */

const DOCKERSHIM = 'removed in 1.24 with the Docker runtime';
const BY_RUNTIME = `${DOCKERSHIM}; the container runtime has a setting of its own for it`;

const REMOVED: ReadonlyMap<string, string> = new Map([
  ['cadvisor-port', 'removed in 1.12; use /stats/summary and /metrics/resource of the main port'],
  ['docker-endpoint', `${DOCKERSHIM}; use --container-runtime-endpoint`],
  ['image-pull-progress-deadline', BY_RUNTIME],
  ['network-plugin', BY_RUNTIME],
  ['network-plugin-mtu', BY_RUNTIME],
  ['cni-conf-dir', BY_RUNTIME],
  ['cni-bin-dir', BY_RUNTIME],
  ['cni-cache-dir', BY_RUNTIME],
  ['experimental-dockershim-root-directory', `${DOCKERSHIM}; leave it out`],
  ['container-runtime', 'removed in 1.27; leave it out, and use --container-runtime-endpoint'],
  [
    'pod-infra-container-image',
    'removed in 1.35; use the setting of the container runtime for its sandbox image',
  ],
  ['register-schedulable', 'removed; use --register-with-taints'],
  ['cloud-config', 'removed; use a cloud controller manager'],
  ['keep-terminated-pod-volumes', 'removed in 1.31; leave it out'],
]);

/** What to do instead of a flag that was removed; undefined for one that never was. */
export function adviseRemovedFlag(name: string): string | undefined {
  return REMOVED.get(name);
}
