/**
 * The image reference a user wrote, as it goes to the runtime: checked, and
 * with `:latest` where it names neither tag nor digest. Nothing else is
 * rewritten, so short names stay short.
 */
import { accept, type Outcome, refuse } from '../../base/outcome.ts';

const PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?`;
const NAME = `(?:${HOST}/)?${PART}(?:/${PART})*`;
const REFERENCE = new RegExp(
  `^(${NAME})(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*):([0-9a-fA-F]{32,}))?$`,
);
const BARE_DIGEST = /^[0-9a-f]{64}$/;
const DIGEST_LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** Refused with the text of the InvalidImageName status. */
export function toTaggedImage(image: string): Outcome<string> {
  if (BARE_DIGEST.test(image)) {
    return invalid(image, `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`);
  }
  const repository = repositoryOf(image);
  if (repository !== repository.toLowerCase()) {
    return invalid(image, `invalid reference format: repository name (${repository}) must be lowercase`);
  }
  const match = REFERENCE.exec(image);
  if (match === null) return invalid(image, 'invalid reference format');
  const [, , tag, algorithm, hex = ''] = match;
  if (algorithm === undefined) return accept(tag === undefined ? `${image}:latest` : image);
  const length = DIGEST_LENGTHS[algorithm];
  if (length === undefined) return invalid(image, 'unsupported digest algorithm');
  if (hex.length !== length) return invalid(image, 'invalid checksum digest length');
  return /[A-F]/.test(hex) ? invalid(image, 'invalid checksum digest format') : accept(image);
}

/** What follows the host, up to the tag; an image without host is of the default library. */
function repositoryOf(image: string): string {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(0, slash));
  const isHost = /[.:A-Z]/.test(first) || first === 'localhost';
  const path = isHost ? image.slice(slash + 1) : image;
  const name = path.split(':')[0] ?? '';
  return slash === -1 ? `library/${name}` : name;
}

function invalid(image: string, why: string): Outcome<string> {
  return refuse(`Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${why}`);
}
