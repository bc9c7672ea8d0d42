/**
 * The same object, reporting how long its calls take. For ports whose
 * implementations should not know about metrics.
 */
import type { Clock } from './async/clock.ts';

/** One call that has ended: with `value`, or with `error` when it rejected. */
export interface TimedCall {
  readonly method: string;
  readonly args: readonly unknown[];
  readonly durationMs: number;
  readonly value?: unknown;
  readonly error?: unknown;
}

/** Every method that answers with a promise is timed; everything else is passed on as it is. */
export function timeCalls<T extends object>(
  target: T,
  clock: Pick<Clock, 'steady'>,
  onEnd: (call: TimedCall) => void,
): T {
  const time = (method: string, call: (...args: unknown[]) => unknown, args: unknown[]): unknown => {
    const startedAtMs = clock.steady();
    const answer = call.apply(target, args);
    if (!(answer instanceof Promise)) return answer;
    const end = (how: Pick<TimedCall, 'value' | 'error'>): void =>
      onEnd({ method, args, durationMs: clock.steady() - startedAtMs, ...how });
    return answer.then(
      (value: unknown) => {
        end({ value });
        return value;
      },
      (error: unknown) => {
        end({ error });
        throw error;
      },
    );
  };
  return new Proxy(target, {
    // With the target as receiver: private fields belong to it, not to the proxy.
    get: (_, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      return (...args: unknown[]) => time(name, member as (...args: unknown[]) => unknown, args);
    },
  });
}
