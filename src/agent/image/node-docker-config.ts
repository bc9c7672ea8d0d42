/**
 * Registry credentials that the operator put on the node for all of its pods:
 * the first readable `config.json`, else the first `.dockercfg`. Looked for
 * again after some minutes, so that a new file needs no restart.
 */
import { join } from 'node:path';
import { errorText } from '../../base/errors.ts';
import { type DockerConfig, parseDockerCfg, parseDockerConfigJson } from '../../core/image/docker-config.ts';
import type { HostFiles } from '../../ports/host/host-files.ts';
import type { Kit } from '../../ports/kit.ts';

const KEEP_MS = 5 * 60_000;

export interface NodeDockerConfigParts extends Pick<Kit, 'clock' | 'logger'> {
  readonly files: Pick<HostFiles, 'readFile'>;
  readonly directories: DockerConfigDirectories;
}

export interface DockerConfigDirectories {
  /** Where `config.json` is looked for, in order. */
  readonly json: readonly string[];
  /** Where `.dockercfg` is looked for after that. */
  readonly legacy: readonly string[];
}

/** Upstream's places. */
export function toDockerConfigDirectories(
  rootDir: string,
  workingDirectory: string,
  home: string,
): DockerConfigDirectories {
  return {
    json: [rootDir, workingDirectory, join(home, '.docker'), '/.docker'],
    legacy: [rootDir, workingDirectory, home, '/'],
  };
}

export class NodeDockerConfig {
  readonly #parts: NodeDockerConfigParts;
  #kept: { readonly config: DockerConfig; readonly readAtMs: number } | undefined;

  constructor(parts: NodeDockerConfigParts) {
    this.#parts = parts;
  }

  /** Empty when there is no such file; never rejects. */
  async read(): Promise<DockerConfig> {
    const nowMs = this.#parts.clock.steady();
    if (this.#kept !== undefined && nowMs < this.#kept.readAtMs + KEEP_MS) return this.#kept.config;
    const { json, legacy } = this.#parts.directories;
    const config =
      (await this.#readFirst(json, 'config.json', parseDockerConfigJson)) ??
      (await this.#readFirst(legacy, '.dockercfg', parseDockerCfg)) ??
      new Map();
    this.#kept = { config, readAtMs: nowMs };
    return config;
  }

  async #readFirst(
    directories: readonly string[],
    name: string,
    parse: typeof parseDockerCfg,
  ): Promise<DockerConfig | undefined> {
    const { files, logger } = this.#parts;
    for (const directory of directories) {
      const path = join(directory, name);
      try {
        const text = await files.readFile(path);
        if (text === undefined) continue;
        const config = parse(text);
        if (config.ok) return config.value;
        logger.warn('cannot use registry credentials', { path, err: config.message });
      } catch (error) {
        logger.warn('cannot use registry credentials', { path, err: errorText(error) });
      }
    }
    return undefined;
  }
}
