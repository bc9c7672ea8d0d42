/**
 * Just enough of the grammar of image references to know whether the image behind one may change. An invalid
 * reference counts as fixed, as in the API; the runtime reports what is wrong with it.
 */

const DOMAIN =
  /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*|\[[a-f\d:]+\])(?::\d+)?$/i;
const PATH = '[a-z\\d]+(?:(?:[._]|__|-+)[a-z\\d]+)*';
const REFERENCE = new RegExp(`^(${PATH}(?:/${PATH})*)(?::(\\w[\\w.-]{0,127}))?(?:@(.+))?$`);
const DIGEST = /^(?:sha256:[a-f\d]{64}|sha384:[a-f\d]{96}|sha512:[a-f\d]{128})$/;
/** Looks like the id of an image, which the grammar forbids as a name. */
const IMAGE_ID = /^[a-f\d]{64}$/;
const MAX_PATH_LENGTH = 255;

/** True when `image` names the tag `latest`, or neither tag nor digest. */
export function isMovingImage(image: string): boolean {
  if (IMAGE_ID.test(image)) return false;
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(0, slash));
  const hasDomain = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  if (hasDomain && !DOMAIN.test(first)) return false;
  const match = REFERENCE.exec(hasDomain ? image.slice(slash + 1) : image);
  if (match === null) return false;
  const [, path = '', tag, digest] = match;
  if (path.length > MAX_PATH_LENGTH || (digest !== undefined && !DIGEST.test(digest))) return false;
  return tag === undefined ? digest === undefined : tag === 'latest';
}
