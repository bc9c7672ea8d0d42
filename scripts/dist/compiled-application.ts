/**
 * The application of a single executable, with what V8 compiles it to, made so
 * that building it twice gives the same bytes: V8's form holds hashes of names,
 * which begin at random in each process, so it is made with a fixed beginning.
 * That is a flag, and V8 refuses what was compiled with other flags than those
 * of the process; so the one number that stands for the flags is taken from a
 * form that was made without it. Names are hashed again when the form is read,
 * as they are with any other.
 *
 *   … source │ bytes (8) │ magic │ V8's version │ source │ flags │ …   (4 each)
 */

export const FIXED_HASHES = '--hash-seed=1';

const LENGTH_BYTES = 8;
const FLAGS_AT = 12;
const FLAGS_BYTES = 4;

/** Throws when the two do not belong to the same V8 and source. */
export function withFlagsOf(plain: Buffer, fixed: Buffer, source: Buffer): Buffer {
  const [from, to] = [formAt(plain, source), formAt(fixed, source)];
  if (!plain.subarray(from, from + FLAGS_AT).equals(fixed.subarray(to, to + FLAGS_AT)))
    throw new Error('V8 made two forms of the source that do not belong together');
  const result = Buffer.from(fixed);
  plain.copy(result, to + FLAGS_AT, from + FLAGS_AT, from + FLAGS_AT + FLAGS_BYTES);
  return result;
}

function formAt(application: Buffer, source: Buffer): number {
  const at = application.indexOf(source);
  if (at < 0) throw new Error('the application does not hold its source');
  return at + source.length + LENGTH_BYTES;
}
