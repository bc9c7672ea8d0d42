/**
 * Lists by the streaming variant of a call when that is wanted and the
 * runtime has it, else by the unary one. A runtime without it is asked once:
 * the unary call then runs within the same deadline and is used from then on.
 */
import type { Clock } from '../../base/async/clock.ts';
import { hasCode } from '../../base/errors.ts';
import type { RuntimeCallOptions } from '../../ports/runtime/container-runtime.ts';
import type { CriCallName, CriRequest, CriResponse } from './cri-calls.ts';
import type { CriClient } from './cri-client.ts';

/** One list in both variants; the requests have the same fields. */
export interface ListVariants<Unary extends CriCallName, Streamed extends CriCallName, Item> {
  readonly unary: Unary;
  readonly itemsOf: (response: CriResponse<Unary>) => readonly Item[];
  readonly streamed: Streamed;
  readonly itemsOfMessage: (message: CriResponse<Streamed>) => readonly Item[];
}

export class ListCaller {
  readonly #client: CriClient;
  readonly #clock: Clock;
  #streaming: boolean;

  constructor(client: CriClient, clock: Clock, streaming: boolean) {
    this.#client = client;
    this.#clock = clock;
    this.#streaming = streaming;
  }

  /** All items or none: a stream that breaks half-way rejects. */
  async list<Unary extends CriCallName, Streamed extends CriCallName, Item>(
    variants: ListVariants<Unary, Streamed, Item>,
    request: CriRequest<Unary> & CriRequest<Streamed>,
    options: RuntimeCallOptions,
  ): Promise<Item[]> {
    const deadlineMs = this.#clock.steady() + this.#client.requestTimeoutMs;
    if (this.#streaming) {
      const items: Item[] = [];
      try {
        const receive = (message: CriResponse<Streamed>): void => {
          for (const item of variants.itemsOfMessage(message)) items.push(item);
        };
        await this.#client.stream(variants.streamed, request, receive, options);
        return items;
      } catch (error) {
        if (!hasCode(error, 'unimplemented')) throw error;
        this.#streaming = false;
      }
    }
    const timeoutMs = Math.max(1, deadlineMs - this.#clock.steady());
    return [...variants.itemsOf(await this.#client.call(variants.unary, request, { ...options, timeoutMs }))];
  }
}
