/**
 * A value that is there, or will be. For steps that mostly ask nothing outside:
 * those then happen at once, without a turn of the event loop between
 * a decision and the state it was made on.
 */
export type Later<T> = T | Promise<T>;

/** Calls `next` with the value: at once when it is there, else when it comes. */
export function andThen<A, B>(value: Later<A>, next: (value: A) => Later<B>): Later<B> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** The first result that is not undefined, item by item: a step begins when the one before it has ended. */
export function firstLater<T, R>(
  items: readonly T[],
  step: (item: T) => Later<R | undefined>,
): Later<R | undefined> {
  for (const [index, item] of items.entries()) {
    const result = step(item);
    if (result instanceof Promise)
      return result.then((found) => found ?? firstLater(items.slice(index + 1), step));
    if (result !== undefined) return result;
  }
  return undefined;
}
