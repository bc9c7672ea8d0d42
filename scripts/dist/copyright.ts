/** The copyright file of a release: our licence, and those of all that is inside the executable. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Lock, runTimePackages } from './lock.ts';

export function renderCopyright(root: string, lock: Lock, nodeLicense: string): string {
  const parts = [
    ['kubelet-ts', readFileSync(join(root, 'LICENSE'), 'utf8')],
    ...[...runTimePackages(lock).keys()].map((name) => [name, readLicense(join(root, 'node_modules', name))]),
    ['Node.js', nodeLicense],
  ];
  return parts.map(([name, text]) => `==== ${name} ====\n\n${text?.trim()}\n`).join('\n');
}

/** Throws for a package without one: its licence would have to be found first. */
function readLicense(directory: string): string {
  const [file] = globSync('{LICENSE,LICENCE,license}{,.md,.txt}', { cwd: directory }).sort();
  if (file === undefined) throw new Error(`"${directory}" has no licence file`);
  return readFileSync(join(directory, file), 'utf8');
}
