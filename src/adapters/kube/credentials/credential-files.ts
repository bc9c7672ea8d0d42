/** The files that credentials are kept in, with a cheap way to see that one changed. */
import { readFile, stat } from 'node:fs/promises';
import { AgentError, errorText } from '../../../base/errors.ts';

export interface CredentialFiles {
  /** The text; `what` names the file in the AgentError. */
  read(path: string, what: string): Promise<string>;
  /** Differs when the content may; undefined when there is no such file. Never rejects. */
  fingerprint(path: string): Promise<string | undefined>;
}

/** The files of this machine. Links are followed: rotation swaps them. */
export const credentialFiles: CredentialFiles = {
  async read(path, what) {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      const why = missing ? 'no such file' : errorText(error);
      const code = missing ? 'not-found' : 'failed-precondition';
      throw new AgentError(code, `cannot read ${what} "${path}": ${why}`, { cause: error });
    }
  },

  async fingerprint(path) {
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
    } catch {
      return undefined;
    }
  },
};
