/**
 * The Node that package-lock.json pins, for a processor: the one that is
 * installed, or the package of another processor, fetched by npm and accepted
 * only with the digest of the lock file.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from './architecture.ts';
import { type Lock, lockedPackage } from './lock.ts';

export interface PinnedNode {
  readonly program: Buffer;
  readonly license: string;
}

/** Undefined when it cannot be fetched; throws when what came is not what is pinned. */
export function readPinnedNode(root: string, lock: Lock, architecture: Architecture): PinnedNode | undefined {
  const name = `node-linux-${architecture}`;
  const installed = join(root, 'node_modules', name);
  const directory = existsSync(join(installed, 'bin', 'node')) ? installed : fetchPackage(root, lock, name);
  if (directory === undefined) return undefined;
  return {
    program: readFileSync(join(directory, 'bin', 'node')),
    license: readFileSync(join(directory, 'LICENSE'), 'utf8'),
  };
}

function fetchPackage(root: string, lock: Lock, name: string): string | undefined {
  const { version, integrity } = lockedPackage(lock, name);
  const directory = join(root, 'node_modules', '.cache', 'dist', `${name}-${version}`);
  const archive = join(directory, `${name}-${version}.tgz`);
  mkdirSync(directory, { recursive: true });
  if (!existsSync(archive)) {
    try {
      const args = ['pack', '--silent', '--pack-destination', directory, `${name}@${version}`];
      execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    } catch {
      return undefined;
    }
  }
  const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (digest !== integrity) throw new Error(`"${archive}" is not what package-lock.json pins; remove it`);
  const files = ['package/bin/node', 'package/LICENSE'];
  execFileSync('tar', ['-xzf', archive, '-C', directory, '--strip-components=1', ...files]);
  return directory;
}
