/** Where the agent and its sub-commands meet. */

export const DEFAULT_ROOT_DIR = '/var/lib/kubelet';

export function toLocalSocket(rootDir: string): string {
  return `${rootDir.replace(/\/+$/, '')}/kubelet-ts/kubelet.sock`;
}
