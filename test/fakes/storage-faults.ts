/**
 * Disk trouble for the fakes that store things. A full disk (`ENOSPC`)
 * refuses writes only; `EIO` refuses whatever the rule says. Both arrive as
 * the AgentError the real adapters make of them.
 */
import { AgentError } from '../../src/base/errors.ts';
import { never } from './agent-life.ts';

export interface StorageFault {
  readonly errno: 'ENOSPC' | 'EIO';
  /** Absent matches every operation (for ENOSPC: every write). */
  readonly op?: string;
  /** Matches paths or names that start with it; absent matches all. */
  readonly under?: string;
  /** How often it applies; absent means until disposed. */
  readonly times?: number;
  /** The operation takes effect and fails all the same. */
  readonly afterEffect?: boolean;
}

export class StorageFaults {
  readonly #active = new Map<StorageFault, { left: number }>();
  /** Called before every operation; when it returns false the operation never happens, as in a process that was killed just before. */
  onOperation: (op: string, subject: string) => boolean = () => true;

  add(fault: StorageFault): Disposable {
    this.#active.set(fault, { left: fault.times ?? Number.POSITIVE_INFINITY });
    return { [Symbol.dispose]: () => void this.#active.delete(fault) };
  }

  clear(): void {
    this.#active.clear();
  }

  /** Does `effect` unless a fault says otherwise; rejects with AgentError then. */
  async around<T>(op: string, subject: string, writes: boolean, effect: () => T): Promise<T> {
    if (!this.onOperation(op, subject)) return never();
    const fault = this.#take(op, subject, writes);
    if (fault === undefined) return effect();
    if (fault.afterEffect) effect();
    const full = fault.errno === 'ENOSPC';
    const why = full ? 'no space left on device' : 'input/output error';
    throw new AgentError(full ? 'resource-exhausted' : 'unknown', `cannot ${op} "${subject}": ${why}`, {
      cause: Object.assign(new Error(`${fault.errno}: ${why}`), { code: fault.errno }),
    });
  }

  #take(op: string, subject: string, writes: boolean): StorageFault | undefined {
    for (const [fault, use] of this.#active) {
      if (use.left <= 0 || (fault.op ?? op) !== op || !subject.startsWith(fault.under ?? '')) continue;
      if (fault.errno === 'ENOSPC' && !writes) continue;
      use.left--;
      return fault;
    }
    return undefined;
  }
}
