/**
 * Versions of API objects. They count upwards; one that is no number, or is
 * missing, says nothing about its age.
 */

/** Whether `version` is certainly older than the other. */
export function isOlderVersion(version: string | undefined, than: string | undefined): boolean {
  return isNumber(version) && isNumber(than) && BigInt(version) < BigInt(than);
}

function isNumber(version: string | undefined): version is string {
  return version !== undefined && /^\d+$/.test(version);
}
