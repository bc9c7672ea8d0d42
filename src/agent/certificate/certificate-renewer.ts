/**
 * Keeps one certificate of the node valid: requests the first one, and the
 * next one before expiry, when the node's addresses change, or at once when
 * the current one is only for bootstrap.
 *
 *   idle ──due──► requesting ──issued──► stored ──► idle
 *     ▲               │ refused, timed out, unreachable
 *     └──── wait ◄────┘
 *
 * Invariants: one request at a time; a certificate in use is replaced only by
 * one that was stored; failing to get a new one leaves the old one in use.
 */
import { sleep, sleepUntil } from '../../base/async/clock.ts';
import { Emitter } from '../../base/async/emitter.ts';
import { errorText, hasCode } from '../../base/errors.ts';
import {
  type CertificateTemplate,
  isSameTemplate,
  listMissing,
} from '../../core/certificate/certificate-template.ts';
import {
  computeRetryDelayMs,
  computeShortfallDelayMs,
  decideRotation,
  isExpired,
} from '../../core/certificate/decide-rotation.ts';
import { apiStatusOf } from '../../ports/cluster/api-server.ts';
import type {
  CertificateStore,
  MakeRequest,
  StoredCertificate,
} from '../../ports/cluster/certificate-store.ts';
import type { Kit } from '../../ports/kit.ts';
import {
  awaitSignature,
  createSigningRequest,
  type SignatureRequest,
  type SigningApi,
} from './await-signature.ts';

/** For metrics. */
export interface RenewalHooks {
  /** A request failed. */
  readonly onFailure?: (() => void) | undefined;
  /** A certificate has replaced another that lived for so long. */
  readonly onReplaced?: ((ageMs: number) => void) | undefined;
}

export interface CertificateRenewerSettings {
  /** For the log: `client` or `serving`. */
  readonly what: string;
  readonly signer: Pick<SignatureRequest, 'signerName' | 'usages'>;
  /** The client to use, given whether there is a certificate to authenticate with. */
  readonly chooseApi: (current: StoredCertificate | undefined) => SigningApi;
  readonly store: CertificateStore;
  readonly makeRequest: MakeRequest;
  /** Undefined while it is not known what to ask for. */
  readonly readTemplate: () => CertificateTemplate | undefined;
  readonly kit: Pick<Kit, 'clock' | 'random' | 'logger'>;
  readonly hooks: RenewalHooks;
}

/** As upstream: a signature after that is not expected. */
const WAIT_MS = 15 * 60_000;

export class CertificateRenewer {
  readonly #settings: CertificateRenewerSettings;
  readonly #changes = new Emitter();
  #current: StoredCertificate | undefined;
  #forced = false;
  #serverAnswers = false;
  #failures = 0;
  /** Certificates in a row that were due for renewal when they were issued. */
  #shortfalls = 0;
  #template: CertificateTemplate | undefined;
  #woken = new AbortController();

  constructor(settings: CertificateRenewerSettings) {
    this.#settings = settings;
  }

  /** Undefined while there is none, and when it has expired. */
  get current(): StoredCertificate | undefined {
    const { clock } = this.#settings.kit;
    return this.#current === undefined || isExpired(this.#current, clock.now()) ? undefined : this.#current;
  }

  /** Whether the last request was answered, if only by a refusal. */
  get serverAnswers(): boolean {
    return this.#serverAnswers;
  }

  /** Calls `listener` after there is another certificate; dispose the result to stop. */
  subscribe(listener: () => void): Disposable {
    return this.#changes.subscribe(listener);
  }

  /** Takes up what is stored. Rejects with AgentError. */
  async load(): Promise<void> {
    this.#current = await this.#settings.store.read();
  }

  /** Takes a pair from elsewhere when nothing good is stored; it is replaced as soon as possible. Rejects with AgentError. */
  async seed(certificate: string, key: string): Promise<void> {
    if (this.current !== undefined) return;
    this.#current = await this.#settings.store.write(certificate, key);
    this.#forced = true;
  }

  /** The template may be another one; cheap when it is not. */
  wake(): void {
    if (!isSameTemplate(this.#template, this.#settings.readTemplate())) this.#woken.abort();
  }

  async run(stop: AbortSignal): Promise<void> {
    const { kit, readTemplate } = this.#settings;
    const { clock, random } = kit;
    while (!stop.aborted) {
      this.#woken = new AbortController();
      const interrupt = AbortSignal.any([stop, this.#woken.signal]);
      const template = readTemplate();
      this.#template = template;
      if (template === undefined) {
        await sleep(clock, Number.POSITIVE_INFINITY, interrupt);
        continue;
      }
      const now = clock.now();
      const at = this.#forced ? now : decideRotation(this.#current, template, now, random());
      if (at > now) await sleepUntil(clock, at, interrupt);
      if (interrupt.aborted) continue;
      if (await this.#renew(template, interrupt)) {
        this.#failures = 0;
        await this.#waitIfShort(template, interrupt);
      } else if (!interrupt.aborted) {
        this.#failures++;
        await sleep(clock, computeRetryDelayMs(this.#failures, random()), interrupt);
      }
    }
  }

  /** A signer that does not give what is asked for is not asked again at once: it would be without end. */
  async #waitIfShort(template: CertificateTemplate, interrupt: AbortSignal): Promise<void> {
    const { kit, what } = this.#settings;
    const { clock, random, logger } = kit;
    const now = clock.now();
    if (decideRotation(this.#current, template, now, random()) > now) {
      this.#shortfalls = 0;
      return;
    }
    this.#shortfalls++;
    const waitMs = Math.round(computeShortfallDelayMs(this.#shortfalls, random()));
    const missing = this.#current === undefined ? [] : listMissing(this.#current, template);
    logger.warn('the issued certificate is not what was requested', { certificate: what, missing, waitMs });
    await sleep(clock, waitMs, interrupt);
  }

  async #renew(template: CertificateTemplate, interrupt: AbortSignal): Promise<boolean> {
    const { what, kit, hooks } = this.#settings;
    const { logger } = kit;
    try {
      await this.#request(template, interrupt);
      return true;
    } catch (error) {
      // Stopping, or another request is needed: nothing went wrong.
      if (interrupt.aborted) return false;
      hooks.onFailure?.();
      logger.warn('cannot renew a certificate', { certificate: what, err: errorText(error) });
      return false;
    }
  }

  async #request(template: CertificateTemplate, signal: AbortSignal): Promise<void> {
    const { what, signer, chooseApi, store, makeRequest, kit, hooks } = this.#settings;
    const { clock, logger } = kit;
    const { request, key } = makeRequest(template);
    const api = chooseApi(this.current);
    const created = await this.#noteAnswer(createSigningRequest(api, { ...signer, request }, signal));
    const { name } = created.metadata;
    logger.info('certificate requested', { certificate: what, request: name });
    const issued = await awaitSignature(api, created, { clock, timeoutMs: WAIT_MS, signal });
    const old = this.#current;
    this.#current = await store.write(issued, key);
    this.#forced = false;
    const notAfter = new Date(this.#current.notAfterMs).toISOString();
    logger.info('certificate issued', { certificate: what, request: name, notAfter });
    if (old !== undefined) hooks.onReplaced?.(clock.now() - old.notBeforeMs);
    this.#changes.emit();
  }

  async #noteAnswer<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer;
      this.#serverAnswers = true;
      return value;
    } catch (error) {
      const codes = ['unauthenticated', 'permission-denied', 'not-found'] as const;
      this.#serverAnswers = apiStatusOf(error) !== undefined && codes.some((code) => hasCode(error, code));
      throw error;
    }
  }
}
