import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listUndoneCare } from './undone-care.ts';

const DEFAULTS: Parameters<typeof listUndoneCare>[0] = {
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
  evictionSoft: {},
  imageGCHighThresholdPercent: 85,
  imageMaximumGCAge: '0s' as (typeof DEFAULTS)['imageMaximumGCAge'],
  kubeReserved: {},
  podPidsLimit: -1,
  shutdownGracePeriod: '0s' as (typeof DEFAULTS)['shutdownGracePeriod'],
  shutdownGracePeriodByPodPriority: [],
  systemReserved: {},
};

describe('listUndoneCare', () => {
  const subjects = (over: Partial<typeof DEFAULTS>): string[] =>
    listUndoneCare({ ...DEFAULTS, ...over }).map((text) => text.replace(/ \(.*/, ''));

  it('names what the defaults leave undone', () => {
    assert.deepEqual(subjects({}), [
      'eviction for processes',
      'limit of processes per pod',
      'reservation for system daemons',
      'image collection by age',
      'graceful end of pods at a shutdown',
    ]);
  });

  it('names nothing of what is configured, and a threshold that is switched off', () => {
    assert.deepEqual(
      subjects({
        evictionHard: { 'memory.available': '0%', 'nodefs.available': '10%' },
        evictionSoft: { 'pid.available': '10%' },
        imageGCHighThresholdPercent: 100,
        imageMaximumGCAge: '1h' as (typeof DEFAULTS)['imageMaximumGCAge'],
        kubeReserved: { cpu: '1' },
        podPidsLimit: 100,
        shutdownGracePeriod: '30s' as (typeof DEFAULTS)['shutdownGracePeriod'],
      }),
      ['eviction for memory', 'image collection for space'],
    );
  });
});
