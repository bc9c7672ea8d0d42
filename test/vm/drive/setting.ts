import assert from 'node:assert/strict';

/** What `vm.sh drive` says by the environment. */
export function setting(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: run this by test/vm/vm.sh drive`);
  return value;
}
