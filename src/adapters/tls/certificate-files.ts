/**
 * A certificate store in the certificate directory, in upstream's layout:
 *
 *   <prefix>-2026-01-02-03-04-05.pem   certificates, then the key; 0600
 *   <prefix>-current.pem               a link to the newest
 *
 * Invariant: the link always leads to a whole pair; a crash leaves at most a
 * file that nothing points to.
 */
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/async/clock.ts';
import { AgentError, hasCode } from '../../base/errors.ts';
import type { CertificateStore, StoredCertificate } from '../../ports/cluster/certificate-store.ts';
import { replaceFile, replaceLink } from '../linux/files/atomic-file.ts';
import { toHostError } from '../linux/host-error.ts';
import { parseCertificatePair } from './parse-certificate-pair.ts';
import { readFiles } from './watched-files.ts';

export interface CertificateFilesSettings {
  readonly directory: string;
  /** `kubelet-client` or `kubelet-server`. */
  readonly prefix: string;
  /** Used while nothing was stored. */
  readonly fallback?: { readonly certificate: string; readonly key: string } | undefined;
  readonly clock: Clock;
}

export class CertificateFiles implements CertificateStore {
  readonly #settings: CertificateFilesSettings;

  constructor(settings: CertificateFilesSettings) {
    this.#settings = settings;
  }

  /** The link that always leads to the pair in use. */
  get currentPath(): string {
    return this.#at('-current.pem');
  }

  async read(): Promise<StoredCertificate | undefined> {
    const { fallback } = this.#settings;
    const current = this.currentPath;
    const places = [
      ...((await this.#isLink(current)) ? [{ certificate: current, key: current }] : []),
      ...(fallback === undefined ? [] : [fallback]),
      { certificate: this.#at('.crt'), key: this.#at('.key') },
    ];
    for (const { certificate, key } of places) {
      const found = await readPairIfThere(certificate, key);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async write(certificate: string, key: string): Promise<StoredCertificate> {
    const { directory, prefix, clock } = this.#settings;
    const pair = parseCertificatePair(certificate, key, 'the new certificate');
    const name = `${prefix}-${toStamp(clock.now())}.pem`;
    const current = this.currentPath;
    try {
      await mkdir(directory, { recursive: true, mode: 0o755 });
      await this.#isLink(current);
      await replaceFile(join(directory, name), {
        content: pair.certificate + pair.key,
        mode: 0o600,
        syncDirectory: true,
      });
      await replaceLink(current, join(directory, name));
    } catch (error) {
      if (error instanceof AgentError) throw error;
      throw toHostError('store a certificate in', directory, error);
    }
    return pair;
  }

  /** A regular file in place of the link was put there by the operator, so it is not replaced. */
  async #isLink(path: string): Promise<boolean> {
    try {
      if ((await lstat(path)).isSymbolicLink()) return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
      throw toHostError('read', path, error);
    }
    throw new AgentError('failed-precondition', `cannot use "${path}": it is not a symbolic link`);
  }

  #at(suffix: string): string {
    return join(this.#settings.directory, this.#settings.prefix + suffix);
  }
}

async function readPairIfThere(certificate: string, key: string): Promise<StoredCertificate | undefined> {
  try {
    const [certificateText = '', keyText = ''] = await readFiles([certificate, key]);
    return parseCertificatePair(certificateText, keyText, JSON.stringify(certificate));
  } catch (error) {
    if (hasCode(error, 'not-found')) return undefined;
    throw error;
  }
}

function toStamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace(/[T:]/g, '-');
}
