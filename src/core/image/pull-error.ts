/** Some runtimes say by a prefix what kind of failure a pull was; users then see a reason of its own. */

const KINDS = [
  ['RegistryUnavailable', 'the registry is unavailable'],
  ['SignatureValidationFailed', 'the signature validation failed'],
] as const;

/** The waiting reason and message for what the runtime said. */
export function classifyPullError(image: string, text: string): { reason: string; message: string } {
  for (const [reason, words] of KINDS) {
    if (!text.startsWith(reason)) continue;
    return { reason, message: `image pull failed for ${image} because ${words}${text.slice(reason.length)}` };
  }
  return { reason: 'ErrImagePull', message: text };
}
