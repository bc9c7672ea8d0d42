/**
 * The certificate of the main port and the authorities of its clients, kept
 * current. The certificate comes from the API server when it is requested
 * there, else from the configured pair, else from the certificate directory,
 * else one is made and stored there.
 *
 *   new ──load()──► current() valid ──run(stop)──► changes published to subscribers
 *
 * Invariant: a new pair or bundle that cannot be used never replaces the one
 * in use.
 */

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, mkdir } from 'node:fs/promises';
import type { Clock } from '../../base/async/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { whenAborted } from '../../base/async/when-aborted.ts';
import { AgentError, hasCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { replaceFile } from '../linux/files/atomic-file.ts';
import { toHostError } from '../linux/host-error.ts';
import { readFiles, watchFiles } from './watched-files.ts';

/** A pair that is requested and renewed elsewhere; none until it is issued. */
export interface IssuedPair {
  readonly current: { readonly certificate: string; readonly key: string } | undefined;
  subscribe(listener: () => void): Disposable;
}

export interface ServingCertificateSettings {
  /** In place of all others. */
  readonly issued?: IssuedPair | undefined;
  /** Both or neither. */
  readonly files?: { readonly certificate: string; readonly key: string } | undefined;
  /** Where a made pair is kept. */
  readonly directory: string;
  /** Name or address of the node, for a made certificate. */
  readonly host: string;
  readonly clientCaFile?: string | undefined;
  /** Follow later changes of the pair, and of the authorities. */
  readonly reload: { readonly certificate: boolean; readonly authorities: boolean };
  readonly clock: Clock;
  readonly log: Logger;
}

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** Without a pair while none was issued. */
interface Material {
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly clientAuthorities?: string;
}

export class ServingCertificate {
  readonly #settings: ServingCertificateSettings;
  readonly #changes = new Emitter();
  #material: Material | undefined;

  constructor(settings: ServingCertificateSettings) {
    this.#settings = settings;
  }

  /** Throws before `load`. */
  current(): Material {
    if (this.#material === undefined) throw new Error('the serving certificate is not loaded');
    const { issued } = this.#settings;
    if (issued === undefined) return this.#material;
    const { certificate, key } = issued.current ?? {};
    return { ...this.#material, certificate, key };
  }

  subscribe(listener: () => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  /** Finds or makes the pair and reads the authorities. Rejects with AgentError. */
  async load(): Promise<void> {
    const { clientCaFile, issued } = this.#settings;
    const pair = issued === undefined ? await this.#loadPair() : { certificate: undefined, key: undefined };
    const authorities = clientCaFile === undefined ? undefined : (await readFiles([clientCaFile]))[0];
    this.#material = {
      ...pair,
      ...(authorities === undefined ? {} : { clientAuthorities: checkAuthorities(authorities) }),
    };
  }

  /** Follows changes of the files until `stop` aborts. */
  async run(stop: AbortSignal): Promise<void> {
    const { files, issued, clientCaFile, reload, clock, log } = this.#settings;
    const { certificate = '', key = '', clientAuthorities = '' } = this.current();
    using _renewals = issued?.subscribe(() => this.#notify());
    const watches: Promise<void>[] = [];
    if (files !== undefined && issued === undefined && reload.certificate) {
      const watched = {
        paths: [files.certificate, files.key],
        clock,
        onContent: ([newCertificate = '', newKey = '']: readonly string[]): void =>
          this.#replace(checkPair(newCertificate, newKey), 'serving certificate reloaded'),
        onProblem: (error: unknown): void => log.error('cannot reload the serving certificate', error),
      };
      watches.push(watchFiles(watched, [certificate, key], stop));
    }
    if (clientCaFile !== undefined && reload.authorities) {
      const watched = {
        paths: [clientCaFile],
        clock,
        onContent: ([text = '']: readonly string[]): void =>
          this.#replace({ clientAuthorities: checkAuthorities(text) }, 'client authorities reloaded'),
        onProblem: (error: unknown): void => log.error('cannot reload the client authorities', error),
      };
      watches.push(watchFiles(watched, [clientAuthorities], stop));
    }
    if (issued !== undefined) watches.push(whenAborted(stop));
    await Promise.all(watches);
  }

  #replace(part: Partial<Material>, message: string): void {
    this.#material = { ...this.current(), ...part };
    this.#settings.log.info(message);
    this.#notify();
  }

  #notify(): void {
    this.#changes.emit();
  }

  async #loadPair(): Promise<Pair> {
    const { files, directory } = this.#settings;
    const { certificate, key } = files ?? toOwnFiles(directory);
    const [certificateText, keyText] = await Promise.all([certificate, key].map(readIfThere));
    if (certificateText !== undefined && keyText !== undefined) return checkPair(certificateText, keyText);
    if (files === undefined && certificateText === undefined && keyText === undefined) return this.#make();
    const missing = certificateText === undefined ? certificate : key;
    throw new AgentError('not-found', `cannot read ${JSON.stringify(missing)}: no such file or directory`);
  }

  async #make(): Promise<Pair> {
    const { directory, host, clock, log } = this.#settings;
    // Seldom needed, so not loaded with the rest.
    const { createSelfSigned } = await import('./self-signed-certificate.ts');
    const made = createSelfSigned(host, clock.now());
    const files = toOwnFiles(directory);
    try {
      await mkdir(directory, { recursive: true, mode: 0o755 });
      await replaceFile(files.key, { content: made.key, mode: 0o600 });
      await replaceFile(files.certificate, { content: made.certificate, mode: 0o644 });
      await chmod(files.key, 0o600);
    } catch (error) {
      throw toHostError('store a certificate in', directory, error);
    }
    log.info('serving certificate made', { directory, host });
    return made;
  }
}

function toOwnFiles(directory: string): { certificate: string; key: string } {
  return { certificate: `${directory}/kubelet.crt`, key: `${directory}/kubelet.key` };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFiles([path]))[0];
  } catch (error) {
    if (hasCode(error, 'not-found')) return undefined;
    throw error;
  }
}

function checkPair(certificate: string, key: string): Pair {
  let matches: boolean;
  try {
    matches = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    // The text of the failure might quote the key.
    throw new AgentError('invalid-argument', 'cannot read the serving certificate or its key');
  }
  if (!matches)
    throw new AgentError('invalid-argument', 'the key does not belong to the serving certificate');
  return { certificate, key };
}

function checkAuthorities(text: string): string {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    throw new AgentError('invalid-argument', 'the client authority file holds no certificate');
  try {
    for (const block of blocks) new X509Certificate(block);
  } catch (error) {
    throw new AgentError('invalid-argument', 'cannot read the client authorities', { cause: error });
  }
  return text;
}
