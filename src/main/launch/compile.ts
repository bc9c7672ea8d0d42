/**
 * The last step of `make build`: writes the cache of the bundle. Run through
 * bin/kubelet (KUBELET_TS_DIST=compile), because a cache is good for one Node
 * with one set of flags.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from './bundle.ts';
import { packCache } from './compile-cache.ts';

const directory = __dirname;
const files = { bundle: join(directory, 'kubelet.cjs'), cache: join(directory, 'kubelet.cache') };
const { source, compiled } = readBundle(files, true);
const beyond = /[^\0-\x7f].{0,40}/.exec(source);
if (beyond !== null)
  throw new Error(`the bundle must be ASCII, found "${beyond[0]}"; write it with an escape`);
if (compiled === undefined) throw new Error('V8 made no cache');
writeFileSync(files.cache, packCache(source, compiled));
if (readBundle(files).isCacheRejected !== false) throw new Error('V8 refuses the cache it made');
