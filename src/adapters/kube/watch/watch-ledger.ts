/**
 * How the watches of this process are, by kind of object: which run, how long
 * the quietest has heard nothing, and how often any of them, also those that
 * have ended, had to list again or reconnect. A watch enters itself for as
 * long as it runs.
 *
 * Invariant: counts never fall.
 */
import type { ListWatchHealth } from '../../../ports/cluster/list-watch.ts';

export interface WatchTotals {
  /** The plural name of the resource. */
  readonly kind: string;
  readonly running: number;
  /** Of those that run, the one that waits longest for a sign; 0 when none runs. */
  readonly lastEventAgeMs: number;
  readonly relists: number;
  readonly reconnects: number;
}

interface Page {
  readonly running: Set<() => ListWatchHealth>;
  relists: number;
  reconnects: number;
}

export class WatchLedger {
  readonly #pages = new Map<string, Page>();

  /** Enters a watch that begins; dispose the result when it ends. */
  enter(kind: string, health: () => ListWatchHealth): Disposable {
    const page = this.#pages.get(kind) ?? { running: new Set(), relists: 0, reconnects: 0 };
    this.#pages.set(kind, page);
    // A watch that runs again counts on from where it was.
    const before = health();
    page.relists -= before.relists;
    page.reconnects -= before.reconnects;
    const own = (): ListWatchHealth => health();
    page.running.add(own);
    return {
      [Symbol.dispose]: () => {
        if (!page.running.delete(own)) return;
        const { relists, reconnects } = health();
        page.relists += relists;
        page.reconnects += reconnects;
      },
    };
  }

  totals(): readonly WatchTotals[] {
    return [...this.#pages].map(([kind, page]) => {
      const healths = [...page.running].map((health) => health());
      const sum = (read: (health: ListWatchHealth) => number): number =>
        healths.reduce((total, health) => total + read(health), 0);
      return {
        kind,
        running: healths.length,
        lastEventAgeMs: Math.max(0, ...healths.map(({ lastEventAgeMs }) => lastEventAgeMs)),
        relists: page.relists + sum(({ relists }) => relists),
        reconnects: page.reconnects + sum(({ reconnects }) => reconnects),
      };
    });
  }
}
