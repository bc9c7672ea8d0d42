/** What SELinux on this node labels files of containers with, as its policy says. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Undefined when the policy does not define it. */
export async function readContainerFileContext(directory = '/etc/selinux'): Promise<string | undefined> {
  try {
    const config = await readFile(join(directory, 'config'), 'utf8');
    const policy = /^\s*SELINUXTYPE\s*=\s*(\S+)/m.exec(config)?.[1];
    if (policy === undefined || policy.includes('/')) return undefined;
    const contexts = await readFile(join(directory, policy, 'contexts/lxc_contexts'), 'utf8');
    return /^\s*file\s*=\s*"?([^"\s]+)"?/m.exec(contexts)?.[1];
  } catch {
    return undefined;
  }
}
