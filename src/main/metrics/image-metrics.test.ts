import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { FakeRuntime } from '../../../test/fakes/fake-runtime.ts';
import { noObjects } from '../../../test/fakes/no-objects.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { makeSandboxConfig } from '../../../test/fakes/runtime-configs.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { assembleImages } from '../../agent/image/assemble-images.ts';
import { MetricRegistry } from '../../base/metric-registry.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { ImageMetrics } from './image-metrics.ts';

function readAll(registry: MetricRegistry): Record<string, number> {
  const samples = registry.read().flatMap((family) =>
    family.samples().map(({ suffix, labels, value }) => {
      const shown = labels.map(([label, text]) => `${label}=${text}`);
      return [[`${family.name}${suffix}`, ...shown].join(' '), value] as const;
    }),
  );
  return Object.fromEntries(samples);
}

describe('ImageMetrics', () => {
  it('counts what was asked for, who was let in and what is remembered', async () => {
    const registry = new MetricRegistry();
    const clock = new FakeClock();
    const runtime = new FakeRuntime(clock, { images: ['present:1'] });
    const parts = {
      images: runtime,
      files: new FakeFiles(),
      kit: { clock, logger: new RecordingLogger(), events: new RecordingEvents() },
      objects: noObjects,
      imageMeter: new ImageMetrics(registry),
    };
    const limits = { maxParallelPulls: 1, pullsPerSecond: 0, burst: 1 };
    const verification = { policy: 'NeverVerifyPreloadedImages', allowlist: [] } as const;
    const { puller, load } = assembleImages(parts, { ...limits, verification }, '/root');
    const { signal } = new AbortController();
    await load(signal);
    const rows: [image: string, policy: string][] = [
      ['present:1', 'IfNotPresent'],
      ['absent:1', 'IfNotPresent'],
      ['absent:1', 'IfNotPresent'],
      ['new:1', 'Always'],
      ['other:1', 'Never'],
    ];
    for (const [image, policy] of rows)
      await clock.finish(
        puller.ensure({
          uid: toPodUid('a'),
          pod: samplePod(),
          image,
          policy,
          sandboxConfig: makeSandboxConfig('a'),
          signal,
          label: 'a',
        }),
      );
    const requests = 'kubelet_image_manager_ensure_image_requests_total';
    const checks = 'kubelet_imagemanager_image_mustpull_checks_total';
    assert.deepEqual(readAll(registry), {
      [`${requests} pull_policy=ifnotpresent present_locally=true pull_required=false`]: 2,
      [`${requests} pull_policy=ifnotpresent present_locally=false pull_required=true`]: 1,
      [`${requests} pull_policy=always present_locally=unknown pull_required=true`]: 1,
      [`${requests} pull_policy=never present_locally=false pull_required=unknown`]: 1,
      [`${checks} result=credentialPolicyAllowed`]: 1,
      [`${checks} result=credentialRecordFound`]: 1,
      kubelet_imagemanager_ondisk_pullintents: 0,
      kubelet_imagemanager_ondisk_pulledrecords: 2,
    });
  });

  it('has the plugin metrics only where there are plugins', () => {
    const registry = new MetricRegistry();
    const metrics = new ImageMetrics(registry);
    metrics.pluginRan('a', 1000, true);
    assert.ok(!Object.keys(readAll(registry)).some((name) => name.includes('plugin')));
    metrics.describePlugins('sha256:x');
    metrics.pluginRan('a', 1000, true);
    metrics.pluginRan('a', 2000, false);
    const all = readAll(registry);
    assert.equal(all['kubelet_credential_provider_plugin_errors_total plugin_name=a'], 1);
    assert.equal(all['kubelet_credential_provider_plugin_duration_sum plugin_name=a'], 3);
    assert.equal(all['kubelet_credential_provider_config_info hash=sha256:x'], 1);
  });
});
