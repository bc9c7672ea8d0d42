/**
 * The claims that pods of this node use, as prepared, in memory and in
 * `dra_manager_state`. Whether a claim is prepared is known for this life only:
 * after a restart its drivers are asked once more, which they must allow.
 */
import { ConflatingWriter } from '../../base/async/conflating-writer.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import { parseClaims, renderClaims } from '../../core/claims/claim-checkpoint.ts';
import { type ClaimInfo, claimKey } from '../../core/claims/claim-info.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';

export interface ClaimStoreParts extends Pick<Kit, 'clock' | 'logger'> {
  /** `<root>/dra_manager_state`. */
  readonly path: string;
  readonly files: Pick<HostFiles, 'readFile' | 'writeFile'>;
}

export class ClaimStore {
  readonly #parts: ClaimStoreParts;
  readonly #claims = new Map<string, ClaimInfo>();
  readonly #prepared = new Set<string>();
  readonly #writer: ConflatingWriter;

  constructor(parts: ClaimStoreParts) {
    this.#parts = parts;
    this.#writer = new ConflatingWriter({
      clock: parts.clock,
      write: () => parts.files.writeFile(parts.path, renderClaims([...this.#claims.values()]), 0o600),
      onFailure: (error) => parts.logger.warn('cannot write claim checkpoint', { err: errorText(error) }),
    });
  }

  /** Rejects when the file is damaged: claims would stay prepared without a pod. */
  async load(): Promise<void> {
    const { path, files } = this.#parts;
    const text = await files.readFile(path);
    if (text === undefined) return;
    const parsed = parseClaims(text);
    if ('problem' in parsed)
      throw new AgentError('failed-precondition', `cannot read checkpoint "${path}": ${parsed.problem}`);
    for (const claim of parsed.claims) this.#claims.set(claimKey(claim), claim);
  }

  get(key: string): ClaimInfo | undefined {
    return this.#claims.get(key);
  }

  all(): ClaimInfo[] {
    return [...this.#claims.values()];
  }

  /** The claims that the pod uses. */
  ofPod(podUid: string): ClaimInfo[] {
    return this.all().filter(({ podUids }) => podUids.has(podUid));
  }

  isPrepared(key: string): boolean {
    return this.#prepared.has(key);
  }

  put(info: ClaimInfo): void {
    this.#claims.set(claimKey(info), info);
  }

  markPrepared(key: string): void {
    this.#prepared.add(key);
  }

  /** Its preparation is being undone. */
  markUnprepared(key: string): void {
    this.#prepared.delete(key);
  }

  delete(key: string): void {
    this.#claims.delete(key);
    this.#prepared.delete(key);
  }

  /** Rejects with AgentError when what is known cannot be written. */
  stored(): Promise<void> {
    return this.#writer.writeNow();
  }
}
