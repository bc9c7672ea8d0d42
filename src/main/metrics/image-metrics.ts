/** Images, counted: what was asked for, who was let in, what is remembered, and the runs of credential plugins. */
import { Counter, Gauge, Histogram, type MetricRegistry } from '../../base/metric-registry.ts';
import type { AccessResult, ImageMeter } from '../../ports/image-meter.ts';

export class ImageMetrics implements ImageMeter {
  readonly #registry: MetricRegistry;
  readonly #requests: Counter;
  readonly #checks: Counter;
  readonly #intents: Gauge;
  readonly #records: Gauge;
  readonly #collected: Counter;
  #plugins: { readonly errors: Counter; readonly seconds: Histogram } | undefined;

  constructor(registry: MetricRegistry) {
    this.#registry = registry;
    this.#requests = registry.add(
      new Counter({
        name: 'kubelet_image_manager_ensure_image_requests_total',
        help: 'Number of ensure-image requests processed by the kubelet.',
        labels: ['pull_policy', 'present_locally', 'pull_required'],
      }),
    );
    this.#checks = registry.add(
      new Counter({
        name: 'kubelet_imagemanager_image_mustpull_checks_total',
        help: 'Counter for how many times kubelet checked whether credentials need to be re-verified to access an image',
        labels: ['result'],
      }),
    );
    this.#collected = registry.add(
      new Counter({
        name: 'kubelet_image_garbage_collected_total',
        help: 'Total number of images garbage collected by the kubelet, whether through disk usage or image age.',
        labels: ['reason'],
      }),
    );
    const gauge = (name: string, help: string): Gauge => registry.add(new Gauge({ name, help }));
    this.#intents = gauge(
      'kubelet_imagemanager_ondisk_pullintents',
      'Number of ImagePullIntents stored on disk.',
    );
    this.#records = gauge(
      'kubelet_imagemanager_ondisk_pulledrecords',
      'Number of ImagePulledRecords stored on disk.',
    );
  }

  ensured(policy: string, isPresent: boolean | undefined, mustPull: boolean | undefined): void {
    this.#requests.add(1, {
      pull_policy: policy.toLowerCase(),
      present_locally: String(isPresent ?? 'unknown'),
      pull_required: String(mustPull ?? 'unknown'),
    });
  }

  accessAsked(result: AccessResult): void {
    this.#checks.add(1, { result });
  }

  recordsKept(intents: number, records: number): void {
    this.#intents.set(intents);
    this.#records.set(records);
  }

  collected(reason: 'age' | 'space'): void {
    this.#collected.add(1, { reason });
  }

  /** The plugin metrics exist only where there are plugins. */
  describePlugins(configHash: string): void {
    const labels = ['plugin_name'];
    this.#plugins = {
      errors: this.#registry.add(
        new Counter({
          name: 'kubelet_credential_provider_plugin_errors_total',
          help: 'Number of errors from credential provider plugin',
          labels,
        }),
      ),
      seconds: this.#registry.add(
        new Histogram({
          name: 'kubelet_credential_provider_plugin_duration',
          help: 'Duration of execution in seconds for credential provider plugin',
          labels,
        }),
      ),
    };
    const info = new Gauge({
      name: 'kubelet_credential_provider_config_info',
      help: 'Information about the last applied credential provider configuration with hash as label',
      labels: ['hash'],
    });
    this.#registry.add(info).set(1, { hash: configHash });
  }

  pluginRan(name: string, durationMs: number, hasFailed: boolean): void {
    const labels = { plugin_name: name };
    if (hasFailed) this.#plugins?.errors.add(1, labels);
    this.#plugins?.seconds.observe(durationMs / 1000, labels);
  }
}
