/** Truth values as the options of policies have them. */

const WORDS = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((word): [string, boolean] => [word, true]),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((word): [string, boolean] => [word, false]),
]);

/** Undefined for any other word. */
export function parseBoolean(text: string): boolean | undefined {
  return WORDS.get(text);
}
