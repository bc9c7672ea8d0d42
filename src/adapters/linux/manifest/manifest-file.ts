/**
 * What is known of one manifest file: the pods it stands for, what is wrong with it, and whether someone is
 * still writing it. The clock is an argument; nothing here waits.
 *
 *   unchanged ──new fingerprint──► settling ──still for 50 ms, or 250 ms old──► read ──good──► unchanged
 *                                     ▲                                          │
 *                                     └──────────── changes again ───── held ◄───┴─ bad or empty
 *                                                                        └─ 1 s after the first bad read ─► reported
 *
 * Invariant: the last good pods and objects of a file stay until good content replaces them or the file is gone, or was
 * for a moment: then its pods end and come back. (Upstream
 * drops the pod of a bad file at its next look; here a slip of the pen stops nothing that runs.)
 */
import type { Pod } from '../../../core/api/pod.ts';
import { fullName } from '../../../core/api/pod-identity.ts';
import { describeLocalObject, type LocalObject } from '../../../core/manifest/local-object.ts';
import type { ManifestProblem } from '../../../core/manifest/manifest-problem.ts';
import type { StaticPods } from '../../../core/manifest/static-pod.ts';

const QUIET_MS = 50;
const MAX_SETTLING_MS = 250;
const UNFINISHED_MS = 1000;
const GONE_MS = 50;

/** Reads the file as it is now. */
export type ReadFile = () => Promise<StaticPods>;

export class ManifestFile {
  readonly path: string;
  #fingerprint = '';
  #pods: readonly Pod[] = [];
  #objects: readonly LocalObject[] = [];
  #problems: readonly ManifestProblem[] = [];
  #settling: { readonly fingerprint: string; readonly since: number; readonly firstAt: number } | undefined;
  #held: { readonly content: StaticPods; readonly firstAt: number } | undefined;
  #goneSince: number | undefined;
  #made: string | undefined;
  /** How often a file came or went at the path since it was last found unchanged. */
  #stirs = 0;
  #wasEverGood = false;

  constructor(path: string) {
    this.path = path;
  }

  get pods(): readonly Pod[] {
    return this.#pods;
  }

  /** What pods may use instead of API objects. */
  get objects(): readonly LocalObject[] {
    return this.#objects;
  }

  get problems(): readonly ManifestProblem[] {
    return this.#problems;
  }

  /** False until the whole file could be used once: pods of an earlier run may hide in it. */
  get wasEverGood(): boolean {
    return this.#wasEverGood;
  }

  /** Reads the file for the first time: at once, and what is wrong is wrong at once. */
  async start(fingerprint: string, read: ReadFile, made?: string): Promise<void> {
    this.#fingerprint = fingerprint;
    this.#made = made;
    this.#commit(await read());
  }

  /** Files came to this path or went from it so often, before it was looked at. */
  stir(times: number): void {
    this.#stirs += times;
  }

  /**
   * Takes note of how the file stands at `now`; `made` says which one it is, unless it was moved here. Answers when it
   * must be looked at again, if before long.
   */
  async look(fingerprint: string, now: number, read: ReadFile, made?: string): Promise<number | undefined> {
    if (this.#goneSince !== undefined) this.#stirs++;
    this.#goneSince = undefined;
    if (fingerprint === this.#fingerprint) {
      this.#stirs = 0;
      this.#settling = undefined;
      return this.#releaseHeld(now);
    }
    if (this.#settling?.fingerprint !== fingerprint) {
      this.#settling = { fingerprint, since: now, firstAt: this.#settling?.firstAt ?? now };
    }
    const readAt = Math.min(this.#settling.since + QUIET_MS, this.#settling.firstAt + MAX_SETTLING_MS);
    if (now < readAt) return readAt;
    this.#settling = undefined;
    this.#fingerprint = fingerprint;
    const content = await read();
    const isAnother = this.#isAnother(made);
    this.#made = made;
    this.#stirs = 0;
    if (content.problems.length === 0) {
      this.#held = undefined;
      this.#commit(content);
      return isAnother ? this.#comeBack(now) : undefined;
    }
    this.#held = { content, firstAt: this.#held?.firstAt ?? now };
    return this.#releaseHeld(now);
  }

  /**
   * The file is not there at `now`. Editors replace a file by moving it away first, so it counts as gone only
   * a moment later: `recheckAt` says when to look again; undefined means gone.
   */
  lookMissing(now: number): number | undefined {
    this.#goneSince ??= now;
    const goneAt = this.#goneSince + GONE_MS;
    return now < goneAt ? goneAt : undefined;
  }

  /** Removed, and made again under the same name: that takes two events, a file that is moved over another only one. */
  #isAnother(made: string | undefined): boolean {
    return made !== undefined && made !== this.#made && this.#stirs >= 2;
  }

  /** As upstream has it, pods of a file that was removed end, and start again with the next one: without them until then. */
  #comeBack(now: number): number {
    this.#pods = [];
    this.#fingerprint = '';
    return now;
  }

  /** Content that cannot be used may be half written; it is believed a second after it was first seen. */
  #releaseHeld(now: number): number | undefined {
    if (this.#held === undefined) return undefined;
    const believeAt = this.#held.firstAt + UNFINISHED_MS;
    if (now < believeAt) return believeAt;
    const { content } = this.#held;
    this.#held = undefined;
    this.#commit(content);
    return undefined;
  }

  #commit(content: StaticPods): void {
    this.#problems = content.problems;
    if (content.problems.length === 0) this.#wasEverGood = true;
    const fresh = new Set(content.pods.map(fullName));
    const kept = content.problems.length === 0 ? [] : this.#pods.filter((pod) => !fresh.has(fullName(pod)));
    // Pods that did not change stay the same objects: that is how the source sees that nothing is new.
    const before = new Map(this.#pods.map((pod) => [JSON.stringify(pod), pod]));
    this.#pods = [...content.pods.map((pod) => before.get(JSON.stringify(pod)) ?? pod), ...kept];
    const { objects = [] } = content;
    const named = new Set(objects.map(describeLocalObject));
    const isWhole = content.problems.length === 0;
    const old = isWhole ? [] : this.#objects.filter((object) => !named.has(describeLocalObject(object)));
    this.#objects = [...objects, ...old];
  }
}
