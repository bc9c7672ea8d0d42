import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toKnownHealth } from './claim-health.ts';
import { parseHealth, renderHealth } from './health-checkpoint.ts';

const AT_MS = Date.parse('2026-01-02T03:04:05.678Z');
const known = toKnownHealth(
  { pool: 'p', device: 'd', health: 'Unhealthy', timeoutMs: 60_000, message: 'hot' },
  AT_MS,
);
const state = new Map([['x.io', new Map([['p/d', known]])]]);
const TEXT =
  '{"x.io":{"Devices":{"p/d":{"PoolName":"p","DeviceName":"d","Health":"Unhealthy","LastUpdated":"2026-01-02T03:04:05.678Z","HealthCheckTimeout":60000000000,"Message":"hot"}}}}';

describe('dra_health_state', () => {
  it('is written and read as upstream has it', () => {
    assert.equal(renderHealth(state), TEXT);
    assert.deepEqual(parseHealth(TEXT, AT_MS), state);
  });

  it('is read with the times that Go writes', () => {
    const text = TEXT.replace('05.678Z', '05.678901234+02:00');
    const parsed = parseHealth(text, AT_MS);
    assert.ok(parsed instanceof Map);
    assert.equal(parsed.get('x.io')?.get('p/d')?.atMs, AT_MS - 2 * 3_600_000);
  });

  it('has nothing of the future', () => {
    const parsed = parseHealth(TEXT, AT_MS - 1_000);
    assert.ok(parsed instanceof Map);
    assert.equal(parsed.get('x.io')?.get('p/d')?.atMs, AT_MS - 1_000);
  });

  it('loses no more than the entry that is damaged', () => {
    const odd = `{"a":3,"b":{"Devices":null},"__proto__":{"Devices":{"p/e":{"PoolName":7}}},${TEXT.slice(1)}`;
    const parsed = parseHealth(odd, AT_MS);
    assert.ok(parsed instanceof Map);
    assert.deepEqual(
      [...parsed].map(([driver, devices]) => [driver, devices.size]),
      [
        ['a', 0],
        ['b', 0],
        ['__proto__', 0],
        ['x.io', 1],
      ],
    );
    for (const text of ['', '[]', 'null', '{']) assert.ok('problem' in parseHealth(text, AT_MS));
  });
});
