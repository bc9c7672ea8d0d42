/**
 * The image reference a user wrote, as it goes to the runtime: checked, and
 * with `:latest` where it names neither tag nor digest. Nothing else is
 * rewritten, so short names stay short.
 */
import { accept, type Outcome, refuse } from './outcome.ts';

const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const HOST = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?';
const NAME = `(?:${HOST}/)?${PART}(?:/${PART})*`;
const REFERENCE = new RegExp(
  `^(${NAME})(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);
const BARE_DIGEST = /^[0-9a-f]{64}$/;

/** Refused with the text of the InvalidImageName status. */
export function toTaggedImage(image: string): Outcome<string> {
  const match = REFERENCE.exec(image);
  if (match === null || BARE_DIGEST.test(image)) return refuse(invalid(image));
  const [, , tag, digest] = match;
  return accept(tag === undefined && digest === undefined ? `${image}:latest` : image);
}

function invalid(image: string): string {
  const why = /[A-Z]/.test(image) ? 'repository name must be lowercase' : 'invalid reference format';
  return `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${why}`;
}
