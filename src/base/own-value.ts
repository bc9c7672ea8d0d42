/**
 * Maps whose keys come from outside, as plain objects. `__proto__` is a key
 * like any other in JSON, YAML and protobuf; plain reading and assigning mean
 * the prototype by it.
 */

/** The value of the object's own key. */
export function ownValue<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function setOwnValue<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}
