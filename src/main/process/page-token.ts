/**
 * The token that lets a reader into the page on the loopback port. Kept in a file that only root can read, so that an
 * open page goes on when the kubelet starts again; without the file it lives as long as the process.
 */
import { randomBytes } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { replaceFile } from '../../adapters/linux/files/atomic-file.ts';
import { readBounded } from '../../adapters/linux/files/read-bounded.ts';
import { errorText } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;
const OTHERS = 0o077;

/** Never rejects. */
export async function loadPageToken(path: string, log: Pick<Logger, 'warn'>): Promise<string> {
  const kept = await readToken(path);
  if (kept !== undefined) return kept;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  try {
    await replaceFile(path, { content: `${token}\n`, mode: 0o600 });
  } catch (error) {
    log.warn('cannot keep the token of the page', { err: errorText(error) });
  }
  return token;
}

/** Undefined for one that others can read as well: it may be known by now. */
async function readToken(path: string): Promise<string | undefined> {
  try {
    const { mode, uid } = await lstat(path);
    if ((mode & OTHERS) !== 0 || uid !== process.geteuid?.()) return undefined;
    const text = (await readBounded(path, { maxBytes: 256 })).toString().trim();
    return TOKEN.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
