/**
 * A document on disk that carries the version of its format. Another version,
 * or anything else, is refused, never guessed.
 */

/** The document, or undefined for none. Throws for another version than this. */
export function parseVersioned(
  document: unknown,
  version: number,
): Readonly<Record<string, unknown>> | undefined {
  if (document === undefined) return undefined;
  const fields = document as Readonly<Record<string, unknown>> | null;
  if (fields?.['version'] !== version)
    throw new Error(`unknown version ${JSON.stringify(fields?.['version'])}`);
  return fields;
}
