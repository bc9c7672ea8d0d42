/**
 * The connection to a runtime that runs nothing, without a socket: requests
 * and answers pass as the bytes they are on the wire, on virtual time.
 */
import { createModelAnswers, encodeModelEvent } from '../../bench/model/model-answers.ts';
import { ModelPods } from '../../bench/model/model-pods.ts';
import type { CriChannel } from '../../src/adapters/cri/cri-client.ts';
import type { GrpcRequest } from '../../src/adapters/grpc/grpc-exchange.ts';
import { GrpcCode, GrpcError } from '../../src/adapters/grpc/grpc-status.ts';
import { type Clock, sleep } from '../../src/base/async/clock.ts';
import { onAbort } from '../../src/base/async/on-abort.ts';

const WORK_MS = 20;

export class ModelChannel implements CriChannel {
  readonly openSessions = 1;
  readonly openStreams = 0;
  /** Of all answers and events so far. */
  receivedBytes = 0;
  readonly #followers = new Set<(message: Buffer) => void>();
  readonly #answers: ReturnType<typeof createModelAnswers>;

  constructor(clock: Clock) {
    const now = (): number => clock.now();
    const pods = new ModelPods((...event) => this.#announce(encodeModelEvent(...event)), {
      makeLog: () => {},
      now,
    });
    const never = new AbortController().signal;
    this.#answers = createModelAnswers({ pods, work: () => sleep(clock, WORK_MS, never) });
  }

  async call({ path, body, onMessage, onSent, signal }: GrpcRequest): Promise<void> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    onSent?.();
    if (name === 'GetContainerEvents') return this.#follow(onMessage, signal);
    const answer = this.#answers[name];
    if (answer === undefined) throw new GrpcError(GrpcCode.UNIMPLEMENTED, `unknown method ${name}`);
    let bytes: Uint8Array;
    try {
      bytes = await answer(body);
    } catch (error) {
      throw new GrpcError(GrpcCode.NOT_FOUND, String(error));
    }
    this.receivedBytes += bytes.byteLength;
    onMessage(Buffer.from(bytes));
  }

  #follow(onMessage: (message: Buffer) => void, signal: AbortSignal | undefined): Promise<void> {
    this.#followers.add(onMessage);
    return new Promise((_, reject) => {
      onAbort(signal, () => {
        this.#followers.delete(onMessage);
        reject(new GrpcError(GrpcCode.CANCELLED, 'context canceled'));
      });
    });
  }

  /** Later, as over a socket. */
  #announce(event: Uint8Array): void {
    queueMicrotask(() => {
      for (const follow of this.#followers) {
        this.receivedBytes += event.byteLength;
        follow(Buffer.from(event));
      }
    });
  }
}
