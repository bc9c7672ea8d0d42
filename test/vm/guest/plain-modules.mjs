// The payload's sources come without their types (strip-types.ts), under the same names: Node is to load them as they
// are. Taking the types off inside took an emulated machine longer than some tests.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

registerHooks({
  load: (url, context, next) =>
    url.endsWith('.ts')
      ? { format: 'module', source: readFileSync(fileURLToPath(url), 'utf8'), shortCircuit: true }
      : next(url, context),
});
