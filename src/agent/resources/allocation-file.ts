/**
 * One file of allocations, by pod. Changes are kept in memory at once and
 * written a moment later, many at a time; a caller that must not act before a
 * change is on disk waits for `stored`. A pod that is gone is dropped with the next write.
 *
 * Invariant: after `stored` resolves, everything set before the call is on disk.
 */
import { ConflatingWriter } from '../../base/async/conflating-writer.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { GrantedResources } from '../../core/model/granted-resources.ts';
import type { PodUid } from '../../core/model/ids.ts';
import { parseAllocations, renderAllocations } from '../../core/pod/allocation-checkpoint.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';

/** Long enough for the pods of one burst to share a write. */
const WRITE_DELAY_MS = 200;
/** The whole text is made for each write, and grows with the pods: a small share of the time may go into that. */
const REST_FACTOR = 50;
/** However long it took: what was granted is lost when the process dies before the write. */
const MAX_WRITE_DELAY_MS = 10_000;

export interface AllocationFileParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly files: Pick<HostFiles, 'readFile' | 'writeFile'>;
}

export class AllocationFile {
  readonly #parts: AllocationFileParts;
  readonly #path: string;
  readonly #entries = new Map<PodUid, GrantedResources>();
  readonly #writer: ConflatingWriter;
  #written = '';
  /** How long the last text took to make. */
  #renderMs = 0;

  constructor(path: string, parts: AllocationFileParts) {
    this.#path = path;
    this.#parts = parts;
    this.#writer = new ConflatingWriter({
      write: () => this.#write(),
      clock: parts.clock,
      delayMs: () => Math.min(MAX_WRITE_DELAY_MS, Math.max(WRITE_DELAY_MS, REST_FACTOR * this.#renderMs)),
      onFailure: (error) =>
        parts.logger.warn('cannot write allocations, retrying', {
          path,
          err: errorText(error),
        }),
    });
  }

  /** Rejects when the file is damaged: acting without it would resize what runs. */
  async load(): Promise<void> {
    const text = await this.#parts.files.readFile(this.#path);
    if (text === undefined) return;
    const parsed = parseAllocations(text);
    if ('problem' in parsed) {
      const advice = `please drain this node and delete pod resource information checkpoint file ${JSON.stringify(this.#path)} before restarting Kubelet`;
      const message = `could not restore state from checkpoint: ${parsed.problem}, ${advice}`;
      throw new AgentError('failed-precondition', message);
    }
    // What was set while the file was read is newer.
    for (const [uid, allocation] of parsed.entries)
      if (!this.#entries.has(uid)) this.#entries.set(uid, allocation);
    this.#written = text;
  }

  get(uid: PodUid): GrantedResources | undefined {
    return this.#entries.get(uid);
  }

  set(uid: PodUid, allocation: GrantedResources): void {
    this.#entries.set(uid, allocation);
    this.#writer.schedule();
  }

  delete(uid: PodUid): void {
    this.#entries.delete(uid);
  }

  /** Drops every pod but these. */
  retain(isKept: (uid: PodUid) => boolean): void {
    for (const uid of [...this.#entries.keys()]) if (!isKept(uid)) this.#entries.delete(uid);
  }

  /** Rejects with AgentError when the file cannot be written; the next call tries again. */
  stored(): Promise<void> {
    return this.#writer.writeNow();
  }

  /** Writes what is left to write; a failure is only logged, and nothing is tried after it. */
  async flush(): Promise<void> {
    this.#writer.schedule();
    await this.#writer.flush();
  }

  async #write(): Promise<void> {
    const { clock } = this.#parts;
    const beganAtMs = clock.steady();
    const text = renderAllocations(this.#entries);
    this.#renderMs = clock.steady() - beganAtMs;
    if (text === this.#written) return;
    await this.#parts.files.writeFile(this.#path, text, 0o600);
    this.#written = text;
  }
}
