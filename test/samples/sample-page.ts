/** What a page shows, made up and changeable: for tests of views and routes, the browser test and measurements. */
import type { Clock } from '../../src/base/async/clock.ts';
import { Emitter } from '../../src/base/async/emitter.ts';
import type { Logger } from '../../src/base/log.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import type { RememberedEvent } from '../../src/core/events/remembered-event.ts';
import type { Rejection } from '../../src/core/manifest/rejection.ts';
import { toPodUid, toSandboxId } from '../../src/core/model/ids.ts';
import type { ObservedContainer } from '../../src/core/model/observed-pod.ts';
import type { Explanation } from '../../src/core/pod/explain/explanation.ts';
import type { ImageReport } from '../../src/ports/runtime/image-report.ts';
import type { PageSource } from '../../src/server/page/page-source.ts';
import type { RecordedTimeline } from '../../src/server/pods/timeline-route.ts';
import { silentLogger } from '../fakes/text-logger.ts';

export class SamplePage {
  readonly clock: Clock;
  readonly logger: Logger;
  pods: Pod[] = [];
  explanations: Record<string, Explanation> = {};
  events: RememberedEvent[] = [];
  rejected: (Rejection & { readonly sinceMs: number })[] = [];
  timelines: Record<string, RecordedTimeline> = {};
  images: ImageReport = { images: [], fileSystem: undefined, space: undefined, wouldRemove: [] };
  problems: string[] = [];
  log = 'a line\n';
  /** How often the node was measured. */
  measured = 0;
  readonly #changes = new Emitter();

  constructor(clock: Clock, logger: Logger = silentLogger) {
    this.clock = clock;
    this.logger = logger;
  }

  changed(): void {
    this.#changes.emit();
  }

  /** How many listen to changes. */
  listeners = 0;

  get source(): PageSource {
    const subscribe = (listener: () => void): Disposable => {
      const subscription = this.#changes.subscribe(listener);
      this.listeners++;
      return {
        [Symbol.dispose]: () => {
          this.listeners--;
          subscription[Symbol.dispose]();
        },
      };
    };
    return {
      kit: { clock: this.clock, logger: this.logger },
      nodeName: 'n1',
      pods: {
        listPods: () => this.pods,
        statusOf: ({ status }) => status,
        onChange: subscribe,
        rejected: { list: () => this.rejected, subscribe },
        timeline: ({ metadata }) => this.timelines[metadata.uid],
      },
      explain: ({ metadata }) => this.explanations[metadata.uid],
      events: { list: () => this.events, subscribe },
      node: {
        about: { version: 'v1.36.4', manifests: '/etc/kubernetes/manifests' },
        cores: 2,
        statistics: {
          readUsage: async () => {
            this.measured++;
            return { summary: this.#summary(), atMs: this.clock.now() };
          },
          history: () => ({
            atMs: [this.clock.now()],
            of: () => ({ cpuNanoCores: [5e7], memoryBytes: [2 ** 27] }),
          }),
        },
        images: { report: async () => this.images },
        evictor: undefined,
        problems: () => this.problems,
      },
      containers: {
        logs: {
          runtime: { containerStatus: async (id) => ({ ...SAMPLE_CONTAINER, id }) },
          logs: { read: (_path, _query, sink) => sink.write(Buffer.from(this.log)) },
          splitStreams: false,
        },
      },
    };
  }

  #summary() {
    const time = new Date(this.clock.now()).toISOString();
    const cpu = { time, usageNanoCores: 5e7 };
    const memory = { time, workingSetBytes: 2 ** 27, availableBytes: 2 ** 30 };
    return {
      node: { nodeName: 'n1', startTime: time, cpu, memory },
      pods: this.pods.map(({ metadata: { namespace, name, uid } }) => ({
        podRef: { namespace, name, uid },
        startTime: time,
        containers: [],
        cpu,
        memory,
      })),
    };
  }
}

const SAMPLE_CONTAINER: Omit<ObservedContainer, 'id'> = {
  podUid: toPodUid('uid'),
  sandboxId: toSandboxId('s1'),
  name: 'main',
  state: 'running',
  createdAtMs: 0,
  image: 'busybox:1',
  imageId: 'sha256:1',
  labels: {},
  annotations: {},
  details: { reason: '', message: '', logPath: '/log', mounts: [] },
};

/** One container `main` that runs; `more` goes over the status. */
export function samplePagePod(name: string, more: Partial<NonNullable<Pod['status']>> = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, creationTimestamp: '2026-01-02T03:00:00Z' },
    spec: { containers: [{ name: 'main', image: 'busybox:1' }] },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        {
          name: 'main',
          state: { running: { startedAt: '2026-01-02T03:00:01Z' } },
          lastState: {},
          ready: true,
          restartCount: 0,
          image: 'busybox:1',
          imageID: 'sha256:1',
          containerID: 'containerd://c1',
        },
      ],
      ...more,
    },
  };
}
