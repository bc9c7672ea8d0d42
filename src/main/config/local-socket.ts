/** Where the agent and its sub-commands meet. */

export const DEFAULT_ROOT_DIR = '/var/lib/kubelet';

/**
 * Where kubelets lock what each has to itself, with their pids and root directories. Cleared by a reboot, like the
 * processes.
 */
export const CLAIMS_DIRECTORY = '/run/kubelet-ts';

export function toLocalSocket(rootDir: string): string {
  return `${rootDir.replace(/\/+$/, '')}/kubelet-ts/kubelet.sock`;
}
