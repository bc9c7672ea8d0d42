/** Whether the kernel enforces AppArmor profiles. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Never rejects: what cannot be read is not there. `root` is another place for tests. */
export async function readAppArmorEnabled(root = '/'): Promise<boolean> {
  try {
    await stat(join(root, 'sys/kernel/security/apparmor'));
    const enabled = await readFile(join(root, 'sys/module/apparmor/parameters/enabled'), 'utf8');
    return enabled.startsWith('Y');
  } catch {
    return false;
  }
}
