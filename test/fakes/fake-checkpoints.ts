/**
 * Checkpoints in memory. Documents are kept as JSON text, so that nothing
 * survives that a real store would not keep, and outlive the agent through
 * `connect(life)`. A write is atomic: a fault leaves the old document.
 */
import { AgentError } from '../../src/base/errors.ts';
import type { CheckpointStore } from '../../src/ports/host/checkpoint-store.ts';
import { AgentLife, never } from './agent-life.ts';
import { StorageFaults } from './storage-faults.ts';

class CheckpointConnection implements CheckpointStore {
  readonly faults: StorageFaults;
  /** The stored text by name; a test may damage it. */
  readonly documents: Map<string, string>;
  readonly #life: AgentLife;

  constructor(documents: Map<string, string>, faults: StorageFaults, life: AgentLife) {
    this.documents = documents;
    this.faults = faults;
    this.#life = life;
  }

  read(name: string): Promise<unknown> {
    return this.#do('read', name, false, () => {
      const text = this.documents.get(name);
      if (text === undefined) return undefined;
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new AgentError('failed-precondition', `cannot read checkpoint "${name}": it is damaged`, {
          cause,
        });
      }
    });
  }

  write(name: string, document: unknown): Promise<void> {
    // Rendered now: later changes of the object are not part of the document.
    const text: string | undefined = JSON.stringify(document);
    if (text === undefined)
      return Promise.reject(
        new AgentError('invalid-argument', 'cannot write checkpoint: the document has no JSON'),
      );
    return this.#do('write', name, true, () => void this.documents.set(name, text));
  }

  #do<T>(op: string, name: string, writes: boolean, effect: () => T): Promise<T> {
    if (!this.#life.alive) return never();
    return this.#life.guard(this.faults.around(op, name, writes, effect));
  }
}

export class FakeCheckpoints extends CheckpointConnection {
  constructor() {
    super(new Map(), new StorageFaults(), new AgentLife());
  }

  /** The same documents as seen by one life of the agent. */
  connect(life: AgentLife): CheckpointStore {
    return new CheckpointConnection(this.documents, this.faults, life);
  }
}
