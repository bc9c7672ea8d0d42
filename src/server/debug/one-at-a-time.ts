/**
 * One costly reply at a time. The place is held until the reply is made and
 * its stream, if it has one, has ended, or until the request is over: a reply
 * that never came to be sent holds nothing.
 */
import { onAbort } from '../../base/async/on-abort.ts';
import { type HttpReply, toErrorReply } from '../http/http-exchange.ts';

const TAKEN = toErrorReply(500, 'Could not enable profiling: already in use');

export class OneAtATime {
  #holder: symbol | undefined;

  /** Answers 500 while another reply is under way. `signal` aborts when the request is over. */
  async run(work: () => Promise<HttpReply>, signal: AbortSignal): Promise<HttpReply> {
    if (this.#holder !== undefined) return TAKEN;
    const release = this.#take(signal);
    let reply: HttpReply | undefined;
    try {
      reply = await work();
    } finally {
      if (reply?.stream === undefined || signal.aborted) release();
    }
    const { stream } = reply;
    if (stream === undefined) return reply;
    return { ...reply, stream: (sink, ended) => stream(sink, ended).finally(release) };
  }

  #take(signal: AbortSignal): () => void {
    const holder = Symbol('request');
    this.#holder = holder;
    let listening: Disposable | undefined;
    const release = (): void => {
      listening?.[Symbol.dispose]();
      if (this.#holder === holder) this.#holder = undefined;
    };
    listening = onAbort(signal, release);
    return release;
  }
}
