/**
 * The right to mount, for tests that need a real mount. `make check` runs for everyone, so without the right they
 * are skipped and say so; with it (as root in `make test`) none is, and a mount that fails fails its test.
 */
import { readFileSync } from 'node:fs';

/** The bit of CAP_SYS_ADMIN in a set of capabilities. */
const SYS_ADMIN = 1n << 21n;

/** Options for `it`. */
export const NEEDS_MOUNTS: { readonly skip: string | false } = {
  skip: hasMountRight(readFileSync('/proc/self/status', 'utf8')) ? false : 'needs the right to mount',
};

/** From the text of `/proc/self/status`. */
export function hasMountRight(status: string): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return (BigInt(`0x${effective}`) & SYS_ADMIN) !== 0n;
}
