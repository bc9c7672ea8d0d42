/**
 * Remembers crash-loop back-off across restarts of the agent: an entry is on
 * disk before the start it stands for. Losing the file costs only the delay,
 * so a damaged one is dropped with a warning. A restart of the machine ends
 * every container, whatever it did: no delay outlives it.
 */
import { ConflatingWriter } from '../../base/async/conflating-writer.ts';
import { parseVersioned } from '../../base/versioned-document.ts';
import type { CrashLoopEntry } from '../../core/model/crash-loop-entry.ts';
import { toContainerId } from '../../core/model/ids.ts';
import type { CheckpointStore } from '../../ports/host/checkpoint-store.ts';
import type { Kit } from '../../ports/kit.ts';

const CHECKPOINT = 'crash_loop_state';
const VERSION = 1;

export interface CrashLoopMemoryParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly checkpoints: CheckpointStore;
  /** Empty when it is not known. */
  readonly bootId: string;
}

export class CrashLoopMemory {
  readonly #parts: CrashLoopMemoryParts;
  readonly #entries = new Map<string, CrashLoopEntry>();
  readonly #writer: ConflatingWriter;

  constructor(parts: CrashLoopMemoryParts) {
    const { clock, logger } = parts;
    this.#parts = parts;
    const onFailure = (error: unknown): void =>
      logger.warn('cannot write the crash-loop checkpoint', { err: String(error) });
    this.#writer = new ConflatingWriter({ clock, write: () => this.#write(), onFailure });
  }

  /** Reads what an earlier run left. Entries older than `forgetAfterMs` are not worth keeping. */
  async load(nowMs: number, forgetAfterMs: number): Promise<void> {
    const { checkpoints, bootId, logger } = this.#parts;
    try {
      for (const [key, entry] of parseDocument(await checkpoints.read(CHECKPOINT), bootId)) {
        if (nowMs - entry.updatedAtMs <= forgetAfterMs + entry.delayMs) this.#entries.set(key, entry);
      }
    } catch (error) {
      logger.warn('cannot read the crash-loop checkpoint, delays start over', { err: String(error) });
    }
  }

  get(key: string): CrashLoopEntry | undefined {
    return this.#entries.get(key);
  }

  /** Remembers `entry` and resolves when it is on disk; a failed write is only a warning, and tried again later. */
  async remember(key: string, entry: CrashLoopEntry): Promise<void> {
    this.#entries.set(key, entry);
    this.#writer.schedule();
    await this.#writer.settled();
  }

  /** The next start need not wait. */
  forget(key: string): void {
    if (this.#entries.delete(key)) this.#writer.schedule();
  }

  /** Drops entries that a new failure at `nowMs` would no longer count. */
  sweep(nowMs: number, forgetAfterMs: number): void {
    for (const [key, entry] of this.#entries) {
      if (nowMs - entry.updatedAtMs > forgetAfterMs + entry.delayMs) this.#entries.delete(key);
    }
  }

  /** Writes what could not be written before; for a stop in good order. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #write(): Promise<void> {
    const { checkpoints, bootId } = this.#parts;
    return checkpoints.write(CHECKPOINT, {
      version: VERSION,
      bootId,
      entries: Object.fromEntries(this.#entries),
    });
  }
}

/** Of another boot none; a document that names no boot is taken for one of this. */
function* parseDocument(document: unknown, bootId: string): Generator<[string, CrashLoopEntry]> {
  const known = parseVersioned(document, VERSION);
  if (known === undefined) return;
  const written = known['bootId'] ?? '';
  if (written !== bootId && written !== '' && bootId !== '') return;
  const entries = known['entries'] as Record<string, Partial<CrashLoopEntry>> | undefined;
  if (typeof entries !== 'object') throw new Error('entries are missing');
  for (const [key, { delayMs, updatedAtMs, after }] of Object.entries(entries)) {
    if (typeof delayMs !== 'number' || typeof updatedAtMs !== 'number') continue;
    yield [key, { delayMs, updatedAtMs, ...(typeof after === 'string' && { after: toContainerId(after) }) }];
  }
}
