/** What the API server saw of pods and of the node, with the time out here: the machine's own clock goes down with it. */
import type { Pod } from '../../../src/core/api/pod.ts';
import { eventually } from './eventually.ts';
import { NODES, PODS, type VmNode } from './vm-node.ts';

export class PodHistory {
  readonly #ends = new Map<string, number>();
  readonly #subscriptions: readonly Disposable[];
  #isShuttingDown = false;

  constructor({ api }: Pick<VmNode, 'api'>) {
    const { store } = api;
    this.#subscriptions = [
      store.watch(PODS, '', store.version, ({ object }) => this.#see(object as unknown as Pod)),
      store.watch(NODES, '', store.version, ({ object }) => {
        this.#isShuttingDown ||= JSON.stringify(object).includes('node is shutting down');
      }),
    ];
  }

  get nodeWasShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  /** When the pod was first reported as ended. */
  endOf(name: string): number | undefined {
    return this.#ends.get(name);
  }

  waitForEnds(names: readonly string[], deadlineMs: number): Promise<true> {
    return eventually(
      `the ends of ${names.join(', ')} (seen: ${[...this.#ends.keys()].join(', ')})`,
      () => names.every((name) => this.#ends.has(name)),
      deadlineMs,
    );
  }

  describe(sinceMs: number): string {
    return [...this.#ends].map(([name, at]) => `${name} ${at - sinceMs}`).join(', ');
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  #see({ metadata, status }: Pod): void {
    const isOver = status?.phase === 'Failed' || status?.phase === 'Succeeded';
    if (isOver && !this.#ends.has(metadata.name)) this.#ends.set(metadata.name, Date.now());
  }
}
