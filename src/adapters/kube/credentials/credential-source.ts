/**
 * The credentials of this moment: request headers and TLS material. Files are
 * looked at again every `checkIntervalMs` and read when they changed; an exec
 * plugin runs again when what it gave expires or the server refuses it.
 *
 * Invariants: a bad new file leaves the last good credentials in use and is
 * reported once; looks never overlap; `tls` is the same object until it changes.
 */
import type { Clock } from '../../../base/async/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { CredentialFiles } from './credential-files.ts';
import type { ExecCredential, ExecPlugin } from './exec-plugin.ts';
import type { Kubeconfig, KubeUser, Material } from './kubeconfig.ts';
import type { Secret } from './secret.ts';
import {
  type ClientCertificate,
  type NamedText,
  type TlsMaterial,
  toAuthorities,
  toClientCertificate,
} from './tls-material.ts';

export interface Credentials {
  readonly tls: TlsMaterial;
  /** For every request. Holds secrets: never logged. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export interface CredentialSourceSettings {
  readonly config: Kubeconfig;
  readonly files: CredentialFiles;
  readonly runExec: (plugin: ExecPlugin) => Promise<ExecCredential>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when the certificate, key or authorities in use have changed. */
  readonly onTlsChange?: () => void;
  readonly checkIntervalMs?: number;
  /** A client certificate that is rotated elsewhere, in place of the configured one. */
  readonly readClient?: (() => ClientPair | undefined) | undefined;
}

/** PEM texts. */
export interface ClientPair {
  readonly certificate: string;
  readonly key: string;
}

/** As upstream: a changed client certificate is noticed within this time. */
const CHECK_INTERVAL_MS = 10_000;

export class CredentialSource {
  readonly #settings: CredentialSourceSettings;
  #current: Credentials | undefined;
  #exec: ExecCredential | undefined;
  #fingerprint = '';
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #look: Promise<Credentials> | undefined;
  #trouble = '';

  constructor(settings: CredentialSourceSettings) {
    this.#settings = settings;
  }

  /** Rejects with AgentError only while there never were good credentials, or the plugin's have expired. */
  async current(): Promise<Credentials> {
    if (this.#current !== undefined && !this.#isDue()) return this.#current;
    return this.#refresh();
  }

  /** After the server refused the credentials: looks again at everything. True when they are different now. */
  async renew(): Promise<boolean> {
    const before = JSON.stringify(this.#current?.headers);
    const tls = this.#current?.tls;
    await this.#look?.catch(() => {});
    this.#exec = undefined;
    const now = await this.#refresh();
    return JSON.stringify(now.headers) !== before || now.tls !== tls;
  }

  #isDue(): boolean {
    const { clock, checkIntervalMs = CHECK_INTERVAL_MS } = this.#settings;
    return clock.steady() - this.#checkedAtMs >= checkIntervalMs || this.#execHasExpired();
  }

  #execHasExpired(): boolean {
    if (this.#settings.config.user.exec === undefined) return false;
    return (this.#exec?.expiresAtMs ?? Number.POSITIVE_INFINITY) <= this.#settings.clock.now();
  }

  #refresh(): Promise<Credentials> {
    this.#look ??= this.#lookAgain().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  async #lookAgain(): Promise<Credentials> {
    const { config, files, clock, logger } = this.#settings;
    const needsExec = config.user.exec !== undefined && (this.#exec === undefined || this.#execHasExpired());
    try {
      if (needsExec) await this.#runExec();
      const prints = await Promise.all(filesOf(config).map((path) => files.fingerprint(path)));
      const fingerprint = [...prints, this.#settings.readClient?.()?.certificate].join('|');
      if (this.#current === undefined || fingerprint !== this.#fingerprint || needsExec) {
        const old = this.#current;
        this.#current = await this.#read();
        if (old !== undefined && old.tls !== this.#current.tls) this.#settings.onTlsChange?.();
        // Only after a good read: a file caught half written is read again at the next look.
        this.#fingerprint = fingerprint;
      }
      this.#trouble = '';
    } catch (error) {
      if (this.#current === undefined || needsExec) throw error;
      if (String(error) !== this.#trouble)
        logger.error('cannot reload API credentials, keeping the old ones', error);
      this.#trouble = String(error);
    }
    this.#checkedAtMs = clock.steady();
    return this.#current;
  }

  async #runExec(): Promise<void> {
    const { config, runExec } = this.#settings;
    this.#exec = undefined;
    if (config.user.exec !== undefined) this.#exec = await runExec(config.user.exec);
  }

  async #read(): Promise<Credentials> {
    const tls = await this.#readTls();
    const old = this.#current?.tls;
    return { tls: old !== undefined && isSame(old, tls) ? old : tls, headers: await this.#readHeaders() };
  }

  async #readTls(): Promise<TlsMaterial> {
    const { ca, user } = this.#settings.config;
    const authorities = ca === undefined ? undefined : toAuthorities(await this.#text(ca, 'CA file'));
    const own = this.#settings.readClient === undefined ? await this.#readOwn(user) : this.#takeClient();
    const client = this.#exec?.client ?? own;
    return {
      ...(authorities === undefined ? {} : { ca: authorities }),
      ...(client === undefined ? {} : { client }),
    };
  }

  async #readOwn({ certificate, key }: KubeUser): Promise<ClientCertificate | undefined> {
    if (certificate === undefined || key === undefined) return undefined;
    return toClientCertificate(
      await this.#text(certificate, 'client certificate'),
      await this.#text(key, 'client key'),
    );
  }

  #takeClient(): ClientCertificate | undefined {
    const pair = this.#settings.readClient?.();
    if (pair === undefined) return undefined;
    const from = 'the certificate of the node';
    return toClientCertificate({ text: pair.certificate, from }, { text: pair.key, from });
  }

  async #readHeaders(): Promise<Credentials['headers']> {
    const { user } = this.#settings.config;
    return { ...(await this.#readAuthorization(user)), ...toImpersonationHeaders(user) };
  }

  async #readAuthorization(user: KubeUser): Promise<Record<string, string>> {
    const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token.trim()}` });
    if (user.token !== undefined) return bearer((await this.#text(user.token, 'token file')).text);
    if (this.#exec?.token !== undefined) return bearer(this.#exec.token.reveal());
    return user.basic === undefined ? {} : toBasic(user.basic.username, user.basic.password);
  }

  async #text(material: Material, what: string): Promise<NamedText> {
    if (material.kind === 'data') return { text: material.text.reveal(), from: material.from };
    const text = await this.#settings.files.read(material.path, what);
    return { text, from: `${what} "${material.path}"` };
  }
}

function filesOf({ ca, user }: Kubeconfig): readonly string[] {
  const materials = [ca, user.certificate, user.key, user.token];
  return materials.flatMap((material) => (material?.kind === 'file' ? [material.path] : []));
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return (
    a.ca === b.ca &&
    a.client?.certificate === b.client?.certificate &&
    a.client?.key.reveal() === b.client?.key.reveal()
  );
}

function toBasic(username: string, password: Secret): Record<string, string> {
  const pair = Buffer.from(`${username}:${password.reveal()}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}

function toImpersonationHeaders({ impersonate }: KubeUser): Record<string, string | readonly string[]> {
  if (impersonate === undefined) return {};
  return {
    'impersonate-user': impersonate.user,
    ...(impersonate.groups.length === 0 ? {} : { 'impersonate-group': impersonate.groups }),
    ...(impersonate.uid === undefined ? {} : { 'impersonate-uid': impersonate.uid }),
  };
}
