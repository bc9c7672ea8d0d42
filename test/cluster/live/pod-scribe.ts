/**
 * A program that does nothing but follow pods and write one annotation of each
 * to a file, in the way a volume shows a new version: what that takes is the
 * yardstick for a kubelet on the same machine at the same moment.
 */
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '../../../src/core/api/pod.ts';
import { PODS } from '../../../src/ports/cluster/api-resource.ts';
import { type Cluster, waitFor } from './cluster.ts';

export class PodScribe implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #directory: string;
  readonly #running: Promise<void>;
  /** When it was all written, by pod and text. */
  readonly #writtenAtMs = new Map<string, Promise<number>>();
  readonly #annotation: string;

  private constructor({ api }: Cluster, namespace: string, annotation: string, directory: string) {
    this.#annotation = annotation;
    this.#directory = directory;
    this.#running = api.follow<Pod>({ resource: PODS, namespace }).run(this.#stop.signal, {
      onReplace: (pods) => {
        for (const pod of pods) this.#take(pod);
      },
      onEvent: (_type, pod) => this.#take(pod),
    });
  }

  static async start(cluster: Cluster, namespace: string, annotation: string): Promise<PodScribe> {
    return new PodScribe(cluster, namespace, annotation, await mkdtemp(join(tmpdir(), 'pod-scribe-')));
  }

  writtenAtMs(pod: string, text: string): Promise<number> {
    return waitFor(`"${text}" of "${pod}"`, () => this.#writtenAtMs.get(`${pod} ${text}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await Promise.allSettled(this.#writtenAtMs.values());
    await rm(this.#directory, { recursive: true });
  }

  #take({ metadata }: Pod): void {
    const text = metadata.annotations?.[this.#annotation] ?? '';
    const key = `${metadata.name} ${text}`;
    if (!this.#writtenAtMs.has(key)) this.#writtenAtMs.set(key, this.#write(metadata.name, text));
  }

  /** A directory for the version, the file, and a link that is moved into place. */
  async #write(name: string, text: string): Promise<number> {
    const place = join(this.#directory, name);
    const version = join(place, `version-${text}`);
    await mkdir(version, { recursive: true });
    await writeFile(join(version, 'key'), text);
    await symlink(version, join(place, `link-${text}`));
    await rename(join(place, `link-${text}`), join(place, 'current'));
    return Date.now();
  }
}
