/** The images of the runtime for the page: asked for at most twice a minute, however many pages are open. */
import { SingleFlight } from '../../base/async/single-flight.ts';
import type { ImageReport } from '../../ports/runtime/image-report.ts';
import type { PageSource } from './page-source.ts';

const KEPT_MS = 30_000;
/** The runtime may be slow to list. */
const PATIENCE_MS = 20_000;

export class ImageLook {
  readonly #source: Pick<PageSource, 'kit' | 'node'>;
  readonly #flight = new SingleFlight<ImageReport>();
  #last: { readonly report: ImageReport; readonly atMs: number } | undefined;

  constructor(source: Pick<PageSource, 'kit' | 'node'>) {
    this.#source = source;
  }

  /** Rejects with AgentError when the runtime does not say. */
  async read(): Promise<ImageReport> {
    const nowMs = this.#source.kit.clock.now();
    if (this.#last !== undefined && nowMs - this.#last.atMs < KEPT_MS) return this.#last.report;
    return this.#flight.run('images', async () => {
      const report = await this.#source.node.images.report(AbortSignal.timeout(PATIENCE_MS));
      this.#last = { report, atMs: nowMs };
      return report;
    });
  }
}
