/**
 * The node's resolver file, which every sandbox and every start of a container
 * is made with. It may change while the agent runs, so it is read again, but
 * not for each of the pods that start at once.
 */
import type { Clock } from '../../base/async/clock.ts';
import { SingleFlight } from '../../base/async/single-flight.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';

const MAX_AGE_MS = 1_000;

export class ResolverFile {
  readonly #files: Pick<HostFiles, 'readFile'>;
  readonly #clock: Pick<Clock, 'steady'>;
  readonly #path: string;
  readonly #readings = new SingleFlight<string>();
  #last: { readonly text: string; readonly atMs: number } | undefined;

  /** `path` is empty on a node whose pods get no resolver file of its. */
  constructor(files: Pick<HostFiles, 'readFile'>, clock: Pick<Clock, 'steady'>, path: string) {
    this.#files = files;
    this.#clock = clock;
    this.#path = path;
  }

  /** Undefined when there is none to read, empty when it does not exist. Rejects with AgentError. */
  async read(): Promise<string | undefined> {
    if (this.#path === '') return undefined;
    if (this.#last !== undefined && this.#clock.steady() - this.#last.atMs < MAX_AGE_MS)
      return this.#last.text;
    return this.#readings.run(this.#path, () => this.#read());
  }

  async #read(): Promise<string> {
    const atMs = this.#clock.steady();
    const text = (await this.#files.readFile(this.#path)) ?? '';
    this.#last = { text, atMs };
    return text;
  }
}
