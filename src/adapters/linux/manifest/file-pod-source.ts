/**
 * Static pods from a manifest file or a directory of them. The first look is at once; then one every
 * `fileCheckFrequencyMs`, and one soon after anything happens there (inotify). Each delivery is the whole set;
 * there is one only when the set changed, and always a first one. A directory that vanishes takes no pod with it.
 *
 * Invariants: one loop, so looks never overlap; a bad file leaves the other files and its own last good pods
 * alone; each wrong content is reported once; a name belongs to the first file in order that uses it.
 */
import { basename, dirname } from 'node:path';
import { type Clock, sleep } from '../../../base/async/clock.ts';
import { Mailbox } from '../../../base/async/mailbox.ts';
import type { Logger } from '../../../base/log.ts';
import type { Pod } from '../../../core/api/pod.ts';
import { fullName, podRef } from '../../../core/api/pod-identity.ts';
import { describeLocalObject, type LocalObject } from '../../../core/manifest/local-object.ts';
import {
  type ManifestProblem,
  type ManifestSubject,
  renderProblem,
  toSubject,
} from '../../../core/manifest/manifest-problem.ts';
import { readStaticPods, type StaticPods } from '../../../core/manifest/static-pod.ts';
import type { DeliverPods, PodSource } from '../../../ports/pod-source.ts';
import { DirectoryWatcher } from '../files/directory-watcher.ts';
import { hasVanished, listManifests, type ManifestFileEntry, readManifest } from './list-manifests.ts';
import { ManifestFile } from './manifest-file.ts';

/** While nothing can be watched the path is looked at this often. */
const UNWATCHED_LOOK_MS = 1000;
/** A storm of events costs at most a look per this long. */
const LEAST_PAUSE_MS = 10;
/** How many files are read before what they say is delivered, and the pause that lets those pods get going. */
const READS_PER_LOOK = 4;
const READ_PAUSE_MS = 50;

export interface FilePodSourceOptions {
  /** The manifest file or the directory of manifest files; it may appear later. */
  readonly path: string;
  readonly nodeName: string;
  readonly fileCheckFrequencyMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Without an API server: takes ConfigMaps, Secrets, volumes and claims that the files hold, all of them each
   * time and before pods that may need them. Absent, such documents are problems.
   */
  readonly onObjects?: ((objects: readonly LocalObject[]) => void) | undefined;
  /** Called once for each new problem. */
  readonly onProblem?: (problem: ManifestProblem) => void;
  /** Called with all there are, after every look. */
  readonly onProblems?: ((problems: readonly ManifestProblem[]) => void) | undefined;
}

export class FilePodSource implements PodSource {
  readonly name = 'file';
  readonly #options: FilePodSourceOptions;
  readonly #path: string;
  readonly #wakeUps: Mailbox;
  #files = new Map<string, ManifestFile>();
  /** How often an entry of that name came or went since the last look. */
  #stirs = new Map<string, number>();
  #started = false;
  #isDirectory = true;
  /** Where the directory was last seen; undefined for a file and for what was never there. */
  #device: bigint | undefined;
  /** Whether there was ever anything at the path. */
  #wasFound = false;
  #problems: readonly ManifestProblem[] = [];
  #pathTrouble = '';

  constructor(options: FilePodSourceOptions) {
    this.#options = options;
    this.#path = options.path.replace(/(?<=.)\/+$/, '');
    this.#wakeUps = new Mailbox(options.clock);
  }

  /** What is wrong with the manifests now. */
  problems(): readonly ManifestProblem[] {
    return this.#problems;
  }

  async run(stop: AbortSignal, deliver: DeliverPods): Promise<void> {
    const { clock, fileCheckFrequencyMs } = this.#options;
    using watcher = new DirectoryWatcher((...event) => this.#onEvent(...event));
    let delivered: readonly Pod[] | undefined;
    let wasComplete = false;
    while (!stop.aborted) {
      const startedAt = clock.steady();
      // First the watch, then the read: a change in between is reported, not lost.
      const watched = await this.#follow(watcher);
      const { pods, recheckAt } = await this.#look();
      if (stop.aborted) return;
      const complete: boolean = wasComplete || this.#isComplete();
      if (pods !== undefined && (complete !== wasComplete || !isSame(pods, delivered))) {
        delivered = pods;
        wasComplete = complete;
        deliver(pods, complete);
      }
      const period = watched ? fileCheckFrequencyMs : Math.min(fileCheckFrequencyMs, UNWATCHED_LOOK_MS);
      await this.#wakeUps.wait(stop, Math.min(startedAt + period, recheckAt ?? Number.POSITIVE_INFINITY));
      await sleep(clock, LEAST_PAUSE_MS, stop);
    }
  }

  /** Until every file was good once pods of an earlier run may hide, as they may in a directory that is not there. */
  #isComplete(): boolean {
    return this.#wasFound && [...this.#files.values()].every((file) => file.wasEverGood);
  }

  /** A directory is watched itself; a file, or what is not there yet, through the directory that holds it. */
  async #follow(watcher: DirectoryWatcher): Promise<boolean> {
    if (this.#isDirectory && (await watcher.follow(this.#path))) return true;
    this.#isDirectory = false;
    return watcher.follow(dirname(this.#path));
  }

  #onEvent(name: string | undefined, cameOrWent: boolean): void {
    // Around a single file much may happen. `..data` is the link a mounted ConfigMap swaps to change its files.
    const concernsUs = name === undefined || name === basename(this.#path) || name.startsWith('..');
    if (!this.#isDirectory && !concernsUs) return;
    if (name !== undefined && cameOrWent) this.#stirs.set(name, (this.#stirs.get(name) ?? 0) + 1);
    this.#wakeUps.post('event');
  }

  async #look(): Promise<{ readonly pods?: readonly Pod[]; readonly recheckAt?: number | undefined }> {
    // Before the list: what happens meanwhile is for the next look.
    const stirs = this.#stirs;
    this.#stirs = new Map();
    const listing = await listManifests(this.#path);
    if (listing.kind === 'failed') {
      this.#sayPathTrouble(`cannot read manifest path: ${listing.error}`);
      return {};
    }
    if (hasVanished(listing, this.#device)) {
      this.#sayPathTrouble('manifest path has vanished, keeping its pods until it is back');
      return {};
    }
    this.#sayPathTrouble(listing.kind === 'missing' ? 'manifest path does not exist' : '');
    const turnedDirectory = listing.kind === 'files' && listing.isDirectory && !this.#isDirectory;
    if (listing.kind === 'files') this.#notePlace(listing);
    for (const file of this.#files.values()) file.stir(stirs.get(basename(file.path)) ?? 0);
    const rechecks = await this.#lookAtFiles(listing.kind === 'files' ? listing.files : []);
    // The watch still sits on the parent: look again at once so that it moves into the directory.
    if (turnedDirectory) this.#wakeUps.post('watch');
    return { pods: this.#merge(), recheckAt: rechecks.length === 0 ? undefined : Math.min(...rechecks) };
  }

  #notePlace({ isDirectory, device }: { readonly isDirectory: boolean; readonly device: bigint }): void {
    this.#isDirectory = isDirectory;
    this.#device = isDirectory ? device : undefined;
    this.#wasFound = true;
  }

  /** Brings every file up to date; answers when files that are not settled must be looked at again. */
  async #lookAtFiles(entries: readonly ManifestFileEntry[]): Promise<readonly number[]> {
    const now = this.#options.clock.steady();
    const rechecks: number[] = [];
    const known = new Map<string, ManifestFile>();
    let reads = 0;
    for (const { path, fingerprint, made } of entries) {
      const file = this.#files.get(path) ?? new ManifestFile(path);
      known.set(path, file);
      const read = (): Promise<StaticPods> => {
        reads++;
        return this.#read(path);
      };
      if (!this.#started) await file.start(fingerprint, read, made);
      // Many files at once: the first pods are on their way while the rest is still being read.
      else if (reads >= READS_PER_LOOK) rechecks.push(now + READ_PAUSE_MS);
      else rechecks.push((await file.look(fingerprint, now, read, made)) ?? Number.POSITIVE_INFINITY);
    }
    for (const [path, file] of this.#files) {
      if (known.has(path)) continue;
      const recheckAt = file.lookMissing(now);
      if (recheckAt === undefined) continue;
      known.set(path, file);
      rechecks.push(recheckAt);
    }
    this.#started = true;
    this.#files = known;
    return rechecks;
  }

  async #read(path: string): Promise<StaticPods> {
    const content = await readManifest(path);
    const { nodeName, onObjects } = this.#options;
    if ('text' in content) {
      const rules = { isStandalone: onObjects !== undefined, secretProblem: content.secretProblem };
      return readStaticPods(content.text, path, nodeName, rules);
    }
    return { pods: [], problems: [{ file: path, path: '', message: content.error }] };
  }

  /** The pods of all files in order of their names, each pod name once. */
  #merge(): readonly Pod[] {
    const pods: Pod[] = [];
    const problems: ManifestProblem[] = [];
    const objects = new Map<string, LocalObject>();
    const owners = new Map<string, string>();
    const files = [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
    for (const file of files) {
      problems.push(...file.problems);
      for (const object of file.objects) {
        const name = describeLocalObject(object);
        const owner = owners.get(name) ?? file.path;
        if (owner === file.path) objects.set(name, object);
        else problems.push(alreadyDefined(name, file.path, owner, toSubject(object.kind, object.metadata)));
        owners.set(name, owner);
      }
      for (const pod of file.pods) {
        const owner = owners.get(fullName(pod)) ?? owners.get(pod.metadata.uid);
        if (owner === undefined) {
          pods.push(pod);
          owners.set(fullName(pod), file.path).set(pod.metadata.uid, file.path);
        } else
          problems.push(
            alreadyDefined(`pod "${podRef(pod)}"`, file.path, owner, toSubject('Pod', pod.metadata)),
          );
      }
    }
    this.#report(problems);
    this.#options.onObjects?.([...objects.values()]);
    return pods;
  }

  #report(problems: readonly ManifestProblem[]): void {
    const before = new Set(this.#problems.map(renderProblem));
    const fresh = problems.filter((problem) => !before.has(renderProblem(problem)));
    const wrong = new Set(problems.map(({ file }) => file));
    for (const file of new Set(this.#problems.map((problem) => problem.file))) {
      if (!wrong.has(file) && this.#files.has(file))
        this.#options.logger.info('manifest is good again', { file });
    }
    this.#problems = problems;
    this.#options.onProblems?.(problems);
    for (const [file, of] of Map.groupBy(fresh, (problem) => problem.file)) {
      const text = of.map(renderProblem).join('; ');
      this.#options.logger.error('cannot use manifest, keeping what runs', text, { file });
      for (const problem of of) this.#options.onProblem?.(problem);
    }
  }

  #sayPathTrouble(trouble: string): void {
    if (trouble === this.#pathTrouble) return;
    this.#pathTrouble = trouble;
    if (trouble !== '') this.#options.logger.warn(trouble, { path: this.#path });
  }
}

function alreadyDefined(
  what: string,
  file: string,
  owner: string,
  subject: ManifestSubject | undefined,
): ManifestProblem {
  const message = `${what} is already defined in ${owner}: give this one another name`;
  return { file, path: 'metadata.name', message, subject };
}

function isSame(pods: readonly Pod[], others: readonly Pod[] | undefined): boolean {
  return others !== undefined && pods.length === others.length && pods.every((pod, i) => pod === others[i]);
}
