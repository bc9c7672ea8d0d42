/**
 * The resolver file of a mounter that has a root file system of its own
 * (`--experimental-mounter-path`), so that it finds servers by the names of
 * services: name servers of the cluster, search domains of the host.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../base/log.ts';
import { parseResolvConf } from '../../core/spec/resolv-conf.ts';
import type { KubeletConfiguration } from '../config/kubelet-configuration.ts';

const MODE = 0o600;

/** Never rejects: what cannot be read or written is logged. */
export async function writeMounterResolver(
  mounterPath: string,
  { clusterDNS, resolvConf }: Pick<KubeletConfiguration, 'clusterDNS' | 'resolvConf'>,
  logger: Logger,
): Promise<void> {
  const path = join(mounterPath.replace(/\/mounter$/, ''), 'rootfs', 'etc', 'resolv.conf');
  const servers = clusterDNS.map((address) => `nameserver ${address}\n`).join('');
  const search = resolvConf === '' ? '' : await readSearch(resolvConf, logger);
  try {
    await writeFile(path, servers + search, { mode: MODE });
  } catch (error) {
    logger.error('cannot write the resolver file of the mounter', error, { path });
  }
}

async function readSearch(path: string, logger: Logger): Promise<string> {
  try {
    const parsed = parseResolvConf(await readFile(path, 'utf8'));
    if (parsed.ok) return `${['search', ...parsed.value.searches].join(' ')}\n`;
    logger.warn('cannot read search domains for the mounter', { path, why: parsed.message });
  } catch (error) {
    logger.error('cannot read search domains for the mounter', error, { path });
  }
  return '';
}
