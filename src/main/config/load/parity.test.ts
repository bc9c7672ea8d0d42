/** docs/parity.md lists exactly the settings that are accepted but have no effect yet. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CONFIG_PATHS } from '../config-fields.ts';
import { HONOURED_FIELDS, HONOURED_FLAGS } from '../honoured-fields.ts';
import { PROCESS_FLAGS, type ProcessFlags } from '../process-flags.ts';

const PARITY = readFileSync(new URL('../../../../docs/parity.md', import.meta.url), 'utf8');

/** The `code words` between the comments `<!-- name -->` and `<!-- /name -->`. */
function listed(name: string): string[] {
  const between = new RegExp(`<!-- ${name} -->([^]*?)<!-- /${name} -->`).exec(PARITY)?.[1];
  assert.ok(between !== undefined, `docs/parity.md has the list ${name}`);
  return [...between.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

test('docs/parity.md lists every configuration field that is not honoured, once, and no other', () => {
  const expected = CONFIG_PATHS.filter((path) => !HONOURED_FIELDS.has(path));
  assert.deepEqual(listed('fields-without-effect').sort(), [...expected].sort());
});

test('docs/parity.md lists every process flag that is not honoured, once, and no other', () => {
  const expected = (Object.keys(PROCESS_FLAGS) as (keyof ProcessFlags)[])
    .filter((key) => !HONOURED_FLAGS.has(key))
    .map((key) => `--${PROCESS_FLAGS[key].flag}`);
  assert.deepEqual(listed('flags-without-effect').sort(), expected.sort());
});
