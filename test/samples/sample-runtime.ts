/**
 * A tiny runtime for the laws of decidePod; only tests import it. It applies
 * plans to an observation, lets containers end as a script says, moves time
 * on to the next deadline, and rejects plans no runtime could carry out.
 */

import type { BackOffEntry } from '../../src/base/async/back-off.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import type { Action, StartContainer, StopContainers } from '../../src/core/model/actions.ts';
import { computeContainerHash } from '../../src/core/model/container-hash.ts';
import { HASH_ANNOTATION, readRestartCount } from '../../src/core/model/container-labels.ts';
import { toSandboxId } from '../../src/core/model/ids.ts';
import {
  compareContainers,
  compareSandboxes,
  newestInstance,
  type ObservedContainer,
  type ObservedPod,
  type ObservedSandbox,
} from '../../src/core/model/observed-pod.ts';
import { initContainersOf } from '../../src/core/model/pod-containers.ts';
import type { PodFailure, StartFailure } from '../../src/core/model/start-failure.ts';
import { mergeTermination, type Termination } from '../../src/core/model/termination.ts';
import type { VolumeFacts } from '../../src/core/model/volume-facts.ts';
import { decidePod } from '../../src/core/pod/decide-pod.ts';
import type { PodPlan } from '../../src/core/pod/pod-facts.ts';
import { computeRestartCount } from '../../src/core/pod/restart-count.ts';
import { podFacts } from './sample-facts.ts';
import { instance, NOW_MS, sandbox } from './sample-pods.ts';

/** How one run of a container goes: it ends with a code, or its liveness probe fails. */
export type Run = number | 'unhealthy';

export interface Scenario {
  readonly pod: Pod;
  readonly start: ObservedPod;
  /** Container name to its runs; after the last one init containers succeed and others stay. */
  readonly runs?: Readonly<Record<string, readonly Run[]>>;
  /** For each action in turn whether it fails; none fails after the last one. */
  readonly faults?: readonly boolean[];
}

export class SampleRuntime {
  readonly pod: Pod;
  nowMs = NOW_MS;
  termination: Termination | undefined;
  passes = 0;
  isGone = false;
  wasCompleted = false;
  /** After a start of the agent: not set up, but maybe there. */
  volumes: VolumeFacts = { ready: false, held: true };
  readonly performed: Action[] = [];
  /** Restart counts by name, in the order of the starts. */
  readonly counts = new Map<string, number[]>();
  #sandboxes: ObservedSandbox[];
  #containers: ObservedContainer[];
  readonly #logs = new Map<string, Set<number>>();
  readonly #runs: Map<string, Run[]>;
  readonly #faults: boolean[];
  readonly #unhealthy = new Set<string>();
  readonly #crashLoops = new Map<string, BackOffEntry>();
  readonly #startFailures = new Map<string, StartFailure>();
  #podFailure: PodFailure | undefined;
  #made = 0;

  constructor({ pod, start, runs = {}, faults = [] }: Scenario) {
    this.pod = pod;
    this.#sandboxes = [...start.sandboxes];
    this.#containers = [...start.containers];
    this.#runs = new Map(Object.entries(runs).map(([name, list]) => [name, [...list]]));
    this.#faults = [...faults];
    for (const container of start.containers) this.#logsOf(container.name).add(readRestartCount(container));
  }

  get observed(): ObservedPod {
    return {
      uid: podFacts().observed.uid,
      sandboxes: this.#sandboxes.toSorted(compareSandboxes),
      containers: this.#containers.toSorted(compareContainers),
    };
  }

  decide(): PodPlan {
    const facts = {
      pod: this.pod,
      observed: this.observed,
      termination: this.termination,
      nowMs: this.nowMs,
      crashLoops: this.#crashLoops,
      startFailures: this.#startFailures,
      podFailure: this.#podFailure,
      volumes: this.volumes,
      probes: { get: (kind: string, id: string) => this.#probe(kind, id) },
    } as const;
    return decidePod(podFacts(facts));
  }

  /** Passes until nothing is planned, nothing ends and no deadline is left. */
  settle(maxPasses: number, onPlan: (plan: PodPlan) => void = () => {}): void {
    for (;;) {
      insist(this.passes++ < maxPasses, `no rest after ${maxPasses} passes`);
      const plan = this.decide();
      onPlan(plan);
      if (plan.completed && this.termination === undefined) {
        this.wasCompleted = true;
        this.termination = mergeTermination(
          this.pod,
          undefined,
          { cause: 'completed' },
          { requestedAtMs: this.nowMs },
        );
      } else if (plan.actions.length > 0) {
        const allDone = this.#performAll(plan.actions);
        this.isGone = plan.gone && allDone;
        if (this.isGone) return;
      } else if (plan.wakeAtMs !== undefined) {
        insist(plan.wakeAtMs > this.nowMs, 'a wake-up lies ahead');
        this.nowMs = plan.wakeAtMs;
      } else if (!this.#letOneEnd()) return;
    }
  }

  #performAll(actions: readonly Action[]): boolean {
    for (const action of actions) {
      this.nowMs += 1;
      if (this.#faults.shift() === true) {
        this.#note(action);
        if (action.kind !== 'start-container' || action.role === 'init') return false;
      } else {
        this.performed.push(action);
        this.#perform(action);
      }
    }
    return true;
  }

  #note(action: Action): void {
    const failure = { message: 'fault', failedAtMs: this.nowMs, retryAtMs: this.nowMs + 10_000 };
    if (action.kind === 'start-container') {
      this.#startFailures.set(action.container.name, { reason: 'CreateContainerError', ...failure });
    } else this.#podFailure = { step: action.kind, ...failure };
  }

  #perform(action: Action): void {
    switch (action.kind) {
      case 'mount-volumes':
        this.volumes = { ready: true, held: true };
        break;
      case 'release-claims':
        insist(!this.#containers.some(({ state }) => state === 'running'), 'claims go after containers');
        break;
      case 'unmount-volumes':
        insist(!this.#containers.some(({ state }) => state === 'running'), 'volumes go after containers');
        this.volumes = { ready: false, held: false };
        break;
      case 'create-sandbox':
        insist(this.volumes.ready, 'volumes come before the sandbox');
        this.#create(action.attempt);
        break;
      case 'start-container':
        this.#start(action);
        break;
      case 'stop-containers':
        this.#stop(action);
        break;
      case 'stop-sandbox':
        this.#containers = this.#containers.map((c) =>
          c.sandboxId === action.sandboxId && c.state !== 'exited' ? this.#ended(c, 137) : c,
        );
        this.#sandboxes = this.#sandboxes.map((s) =>
          s.id === action.sandboxId ? { ...s, ready: false } : s,
        );
        break;
      case 'remove-container':
        insist(!this.#isRunning(action.id), `${action.name} is not removed while it runs`);
        this.#removeLog(action);
        this.#containers = this.#containers.filter(({ id }) => id !== action.id);
        break;
      case 'remove-sandbox':
        insist(
          !this.#containers.some(({ sandboxId }) => sandboxId === action.sandboxId),
          'a sandbox in use is not removed',
        );
        this.#sandboxes = this.#sandboxes.filter(({ id }) => id !== action.sandboxId);
        break;
      case 'resize-pod':
        break;
      case 'release-pod':
        insist(this.#containers.length + this.#sandboxes.length === 0, 'the pod is empty when released');
        insist(!this.volumes.held, 'volumes are gone when the pod is released');
        break;
    }
  }

  #create(attempt: number): void {
    insist(!this.#sandboxes.some(({ ready }) => ready), 'no other sandbox is ready');
    const network = { mode: this.pod.spec.hostNetwork === true ? 'node' : 'pod', reported: true } as const;
    this.#sandboxes.push(
      sandbox({
        id: toSandboxId(`made-${this.#made++}`),
        attempt,
        createdAtMs: this.nowMs,
        network: { ...network, ips: network.mode === 'pod' ? ['10.0.0.9'] : [] },
      }),
    );
  }

  #start({ container, sandboxId, backOff }: StartContainer): void {
    const { name } = container;
    insist(this.volumes.ready, `volumes are there before ${name}`);
    insist(
      this.#sandboxes.some(({ id, ready }) => id === sandboxId && ready),
      'its sandbox is ready',
    );
    insist(
      !this.#containers.some((c) => c.name === name && c.state === 'running'),
      `${name} does not run already`,
    );
    const logs = [...this.#logsOf(name)].map((count) => `${count}.log`);
    const newest = newestInstance(this.observed, name);
    const count = computeRestartCount(newest, logs);
    // What was made and never started makes room for the instance that takes its number.
    if (newest?.state === 'created') this.#containers = this.#containers.filter(({ id }) => id !== newest.id);
    if (backOff !== undefined) this.#crashLoops.set(backOff.key, backOff.entry);
    this.#startFailures.delete(name);
    this.#logsOf(name).add(count);
    this.counts.set(name, [...(this.counts.get(name) ?? []), count]);
    const made = instance(name, 'running', {
      id: `${name}-made-${this.#made++}`,
      count,
      createdAtMs: this.nowMs,
      sandbox: sandboxId,
    });
    const hash = { [HASH_ANNOTATION]: computeContainerHash(container) };
    this.#containers.push({ ...made, annotations: { ...made.annotations, ...hash } });
    if (this.#runs.get(name)?.[0] === 'unhealthy') {
      this.#runs.get(name)?.shift();
      this.#unhealthy.add(made.id);
    }
  }

  #stop({ stops }: StopContainers): void {
    this.#podFailure = undefined;
    insist(!stops.some(({ id, after }) => after.includes(id)), 'nothing waits for itself');
    const ids = new Set<string>(stops.map(({ id }) => id));
    this.#containers = this.#containers.map((c) => (ids.has(c.id) ? this.#ended(c, 137) : c));
  }

  #ended(container: ObservedContainer, exitCode: number): ObservedContainer {
    const { details } = instance(container.name, 'exited', {
      details: { exitCode, finishedAtMs: this.nowMs, reason: exitCode === 0 ? 'Completed' : 'Error' },
    });
    return { ...container, state: 'exited', ...(details === undefined ? {} : { details }) };
  }

  /** True when a running container came to its end by itself. */
  #letOneEnd(): boolean {
    for (const container of this.#containers) {
      if (container.state !== 'running') continue;
      const isInit = initContainersOf(this.pod).some(
        ({ name, restartPolicy }) => name === container.name && restartPolicy !== 'Always',
      );
      const run = this.#runs.get(container.name)?.shift() ?? (isInit ? 0 : undefined);
      if (run === undefined) continue;
      this.nowMs += 1;
      if (run === 'unhealthy') this.#unhealthy.add(container.id);
      else this.#containers = this.#containers.map((c) => (c === container ? this.#ended(c, run) : c));
      return true;
    }
    return false;
  }

  #probe(kind: string, id: string): 'success' | 'failure' | undefined {
    if (kind === 'startup') return 'success';
    return this.#unhealthy.has(id) ? 'failure' : undefined;
  }

  #isRunning(id: string): boolean {
    return this.#containers.some((c) => c.id === id && c.state === 'running');
  }

  #removeLog({ id, name, keepLogs }: Extract<Action, { kind: 'remove-container' }>): void {
    const container = this.#containers.find((c) => c.id === id);
    if (!keepLogs && container !== undefined) this.#logsOf(name).delete(readRestartCount(container));
  }

  #logsOf(name: string): Set<number> {
    const logs = this.#logs.get(name) ?? new Set<number>();
    this.#logs.set(name, logs);
    return logs;
  }
}

/** What a plan must not break; a broken plan fails the test with the criterion. */
function insist(condition: boolean, criterion: string): void {
  if (!condition) throw new Error(`the plan breaks: ${criterion}`);
}
