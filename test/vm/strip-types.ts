/**
 * Takes the types off the sources below a directory, in place; lines stay where they are, and so do the files' times:
 * by them `bin/kubelet` knows whether its bundle is up to date. usage: strip-types.ts DIRECTORY
 */
import { globSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

const [root = '.'] = process.argv.slice(2);
// Not the maker of images: they are made again when it changes.
for (const name of globSync('{src,test,scripts/demo,scripts/dist}/**/*.ts', { cwd: root })) {
  const path = join(root, name);
  const { atime, mtime } = statSync(path);
  writeFileSync(path, stripTypeScriptTypes(readFileSync(path, 'utf8')));
  utimesSync(path, atime, mtime);
}
