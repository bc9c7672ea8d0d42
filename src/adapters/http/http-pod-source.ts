/**
 * Static pods from a URL, read periodically. Each answer is the whole
 * set; what cannot be read or used leaves the last good set in place.
 *
 * Invariants: reads never overlap; the same body is never delivered twice,
 * and a bad one is reported once until it changes; headers and credentials
 * never reach the log.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { Deadline } from '../../base/async/deadline.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { type ManifestProblem, renderProblem } from '../../core/manifest/manifest-problem.ts';
import { MAX_MANIFEST_BYTES } from '../../core/manifest/parse-manifest.ts';
import { readUrlPods } from '../../core/manifest/url-pods.ts';
import type { DeliverPods, PodSource } from '../../ports/pod-source.ts';
import { fetchManifest, type HeaderLists } from './fetch-manifest.ts';

const TIMEOUT_MS = 10_000;
/** This many consecutive failures are logged at the usual verbosity. */
const LOUD_FAILURES = 3;
const QUIET_LEVEL = 4;

export interface HttpPodSourceOptions {
  readonly url: string;
  readonly headers: HeaderLists;
  readonly nodeName: string;
  readonly httpCheckFrequencyMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with all there are, after every body that is new. */
  readonly onProblems?: ((problems: readonly ManifestProblem[]) => void) | undefined;
}

export class HttpPodSource implements PodSource {
  readonly name = 'http';
  readonly #options: HttpPodSourceOptions;
  /** For people: without user and password. */
  readonly #shownUrl: string;
  #body: Buffer | undefined;
  #failures = 0;

  constructor(options: HttpPodSourceOptions) {
    this.#options = options;
    this.#shownUrl = toShownUrl(options.url);
  }

  async run(stop: AbortSignal, deliver: DeliverPods): Promise<void> {
    const { clock, httpCheckFrequencyMs } = this.#options;
    while (!stop.aborted) {
      const startedAt = clock.steady();
      await this.#look(stop, deliver);
      await sleep(clock, startedAt + httpCheckFrequencyMs - clock.steady(), stop);
    }
  }

  async #look(stop: AbortSignal, deliver: DeliverPods): Promise<void> {
    try {
      const body = await this.#fetch(stop);
      if (stop.aborted) return;
      this.#take(body, deliver);
      this.#onSuccess();
    } catch (error) {
      // Anything else is a bug and ends the source loudly.
      if (!(error instanceof AgentError)) throw error;
      if (!stop.aborted) this.#onFailure(error);
    }
  }

  async #fetch(stop: AbortSignal): Promise<Buffer> {
    const { url, headers, clock } = this.#options;
    using deadline = new Deadline(clock, { timeoutMs: TIMEOUT_MS, signal: stop });
    try {
      return await fetchManifest({ url, headers, maxBytes: MAX_MANIFEST_BYTES }, deadline.signal);
    } catch (error) {
      if (!deadline.expired) throw error;
      throw new AgentError('deadline-exceeded', 'cannot read the manifest: no answer after 10s');
    }
  }

  #take(body: Buffer, deliver: DeliverPods): void {
    const { url, nodeName, onProblems } = this.#options;
    if (body.length === 0) {
      this.#body = undefined;
      deliver([]);
      throw new AgentError('invalid-argument', 'cannot use the manifest: zero-length data received');
    }
    if (this.#body?.equals(body) === true) return;
    // Remembered before it is parsed, so that a bad body is reported once.
    this.#body = body;
    const { pods, problems } = readUrlPods(body.toString('utf8'), url, nodeName);
    onProblems?.(problems.map((problem) => ({ ...problem, file: this.#shownUrl })));
    if (problems.length === 0) deliver(pods);
    else throw new AgentError('invalid-argument', problems.map((one) => this.#render(one)).join('; '));
  }

  #render(problem: Parameters<typeof renderProblem>[0]): string {
    return renderProblem({ ...problem, file: this.#shownUrl });
  }

  #onSuccess(): void {
    if (this.#failures > 0) this.#options.logger.info('pods read from URL', { url: this.#shownUrl });
    this.#failures = 0;
  }

  #onFailure(error: AgentError): void {
    const { logger } = this.#options;
    const fields = { url: this.#shownUrl, err: errorText(error) };
    const failures = this.#failures++;
    if (failures < LOUD_FAILURES) logger.info('cannot read pods from URL', fields);
    else if (failures === LOUD_FAILURES)
      logger.info('cannot read pods from URL, further failures are logged at verbosity 4', fields);
    else logger.debug({ file: 'http-pod-source', level: QUIET_LEVEL }, 'cannot read pods from URL', fields);
  }
}

function toShownUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return 'an unreadable URL';
  return `${url.protocol}//${url.host}${url.pathname}`;
}
