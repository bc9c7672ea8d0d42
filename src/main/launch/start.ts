/** What bin/kubelet runs after `make build`: the bundle, with the cache that lies beside it. */
import { join } from 'node:path';
import { readBundle } from './bundle.ts';

const directory = __dirname;
readBundle({ bundle: join(directory, 'kubelet.cjs'), cache: join(directory, 'kubelet.cache') }).run();
