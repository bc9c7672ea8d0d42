/** Some runtimes mark the kind of a pull failure by a prefix; users then see a specific reason. */

const KINDS = [
  ['RegistryUnavailable', 'the registry is unavailable'],
  ['SignatureValidationFailed', 'the signature validation failed'],
] as const;

/** The waiting reason and message for the runtime's error. */
export function classifyPullError(image: string, text: string): { reason: string; message: string } {
  for (const [reason, words] of KINDS) {
    if (!text.startsWith(reason)) continue;
    return { reason, message: `image pull failed for ${image} because ${words}${text.slice(reason.length)}` };
  }
  return { reason: 'ErrImagePull', message: text };
}
