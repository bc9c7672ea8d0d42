/**
 * Small facts that must survive the agent: one named JSON document each,
 * written atomically (a reader sees the old or the new one, never half).
 */
export interface CheckpointStore {
  /** The stored document, or undefined when there is none. Rejects when it cannot be read or is damaged. */
  read(name: string): Promise<unknown>;
  write(name: string, document: unknown): Promise<void>;
}
