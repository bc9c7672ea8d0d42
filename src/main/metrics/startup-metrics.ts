/**
 * How long the machine took to become a node, reported once it did: from its boot
 * to the kubelet, to the first try to register, to the new node object, to
 * being ready. A node that existed before has no such times, as upstream.
 */
import type { NodeRegistration } from '../../agent/node/node-registration.ts';
import { Gauge, type MetricRegistry } from '../../base/metric-registry.ts';

export interface StartupTimes {
  readonly bootedAtMs: number;
  readonly startedAtMs: number;
  readonly now: () => number;
}

export class StartupMetrics {
  readonly #times: StartupTimes;
  readonly #gauges: Readonly<
    Record<'preKubelet' | 'preRegistration' | 'registration' | 'postRegistration' | 'total', Gauge>
  >;
  #attemptedAtMs: number | undefined;
  #registeredAtMs: number | undefined;
  #isReady = false;

  constructor(registry: MetricRegistry, times: StartupTimes) {
    this.#times = times;
    const gauge = (part: string, what: string): Gauge =>
      registry.add(
        new Gauge({
          name: `kubelet_node_startup_${part}duration_seconds`,
          help: `Duration in seconds of node startup ${what}.`,
        }),
      );
    this.#gauges = {
      preKubelet: gauge('pre_kubelet_', 'before kubelet starts'),
      preRegistration: gauge('pre_registration_', 'before registration'),
      registration: gauge('registration_', 'during registration'),
      postRegistration: gauge('post_registration_', 'after registration'),
      total: gauge('', 'in total'),
    };
  }

  /** The registration, measured. */
  follow(registration: Pick<NodeRegistration, 'run'>): Pick<NodeRegistration, 'run'> {
    return {
      run: async (stop) => {
        this.attempted();
        const registered = await registration.run(stop);
        if (registered?.created === true) this.registered();
        return registered;
      },
    };
  }

  /** The node is about to be registered; the first time counts. */
  attempted(): void {
    this.#attemptedAtMs ??= this.#times.now();
  }

  /** A node object was created. */
  registered(): void {
    if (this.#attemptedAtMs === undefined || this.#registeredAtMs !== undefined) return;
    const { bootedAtMs, startedAtMs, now } = this.#times;
    this.#registeredAtMs = now();
    this.#gauges.preKubelet.set((startedAtMs - bootedAtMs) / 1000);
    this.#gauges.preRegistration.set((this.#attemptedAtMs - startedAtMs) / 1000);
    this.#gauges.registration.set((this.#registeredAtMs - this.#attemptedAtMs) / 1000);
  }

  /** The node is ready; the first time after it was created counts. */
  ready(): void {
    if (this.#registeredAtMs === undefined || this.#isReady) return;
    this.#isReady = true;
    const nowMs = this.#times.now();
    this.#gauges.postRegistration.set((nowMs - this.#registeredAtMs) / 1000);
    this.#gauges.total.set((nowMs - this.#times.bootedAtMs) / 1000);
  }
}
