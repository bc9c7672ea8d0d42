/** For tests: counts and sums by name and labels; buckets and zeros are left out. */
import type { MetricRegistry } from '../../src/base/metric-registry.ts';

export function readSamples(registry: MetricRegistry): Record<string, number> {
  const found: Record<string, number> = {};
  for (const family of registry.read())
    for (const { suffix, labels, value } of family.samples()) {
      if (suffix === '_bucket' || value === 0) continue;
      const pairs = labels.map(([name, text]) => `${name}=${text}`).join(' ');
      found[`${family.name}${suffix}${pairs === '' ? '' : ` ${pairs}`}`] = value;
    }
  return found;
}
