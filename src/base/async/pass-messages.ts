/**
 * Messages of a connection go to one consumer, one at a time and in order;
 * nothing more is read until the last one was consumed.
 */

export interface MessageSource<T> {
  on(event: 'message', listener: (message: T) => void): unknown;
  pause(): void;
  resume(): void;
}

/**
 * `onEnd` registers what is to be called when no more messages come. Resolves
 * when the last one before that was consumed; rejects with the first failure
 * of `onMessage`, after which the source stays paused.
 */
export function passMessages<T>(
  source: MessageSource<T>,
  onMessage: (message: T) => Promise<void>,
  onEnd: (end: () => void) => void,
): Promise<void> {
  const over = Promise.withResolvers<void>();
  let passing = Promise.resolve();
  let waiting = 0;
  source.on('message', (message) => {
    waiting++;
    source.pause();
    passing = passing
      .then(() => onMessage(message))
      .then(() => {
        if (--waiting === 0) source.resume();
      });
    passing.catch(over.reject);
  });
  onEnd(() => void passing.then(over.resolve, over.reject));
  return over.promise;
}
