/**
 * A part that needs the API server: it starts when there are credentials,
 * because before that every call would only be refused, and when it fails the
 * agent goes on without it.
 */
import type { Logger } from '../../base/log.ts';

export interface OnlineLoop {
  readonly name: string;
  run(stop: AbortSignal): Promise<void>;
}

export interface OnlineParts {
  readonly logger: Logger;
  /** Resolves when there are credentials, or with `stop`. */
  readonly whenReady: (stop: AbortSignal) => Promise<void>;
}

/** The loop as a part of the agent. */
export function toOnlinePart(loop: OnlineLoop, { logger, whenReady }: OnlineParts): OnlineLoop {
  return {
    name: loop.name,
    run: async (stop) => {
      try {
        await whenReady(stop);
        await loop.run(stop);
      } catch (error) {
        logger.error('a cluster loop failed', error, { part: loop.name });
      }
    },
  };
}
