/**
 * Everything a pod may show to a registry for an image, in the order in which
 * it is tried: its pull secrets, the node's own configuration, the plugins.
 */
import { createHash } from 'node:crypto';
import { accept, type Outcome } from '../../base/outcome.ts';
import type { Pod } from '../../core/api/pod.ts';
import { toRepository } from '../../core/image/image-repository.ts';
import { lookUpCredentials, toKeyring } from '../../core/image/keyring.ts';
import { type PullCredential, renderHashedCredential } from '../../core/image/registry-credential.ts';
import type { ObjectReader } from '../../ports/cluster/object-reader.ts';
import type { TokenSource } from '../../ports/cluster/token-source.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { CredentialProviders } from './credential-providers.ts';
import type { NodeDockerConfig } from './node-docker-config.ts';
import { readPullSecrets } from './pull-secrets.ts';

export interface ImageCredentialsParts {
  readonly objects: Pick<ObjectReader, 'secret'>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly tokens: Pick<TokenSource, 'forget'>;
  readonly nodeConfig: Pick<NodeDockerConfig, 'read'>;
  readonly providers: Pick<CredentialProviders, 'find'>;
}

export class ImageCredentials {
  readonly #parts: ImageCredentialsParts;
  /** What was reported for each pod, so that it is reported once. */
  readonly #reportedMissing = new Map<string, string>();

  constructor(parts: ImageCredentialsParts) {
    this.#parts = parts;
  }

  /** None means to pull anonymously. Refused when a secret cannot be understood; rejects only when `signal` aborted. */
  async find(pod: Pod, image: string, signal: AbortSignal): Promise<Outcome<readonly PullCredential[]>> {
    const { objects, nodeConfig, providers } = this.#parts;
    const secrets = await readPullSecrets(objects, pod, signal);
    if (!secrets.ok) return secrets;
    this.#recordMissing(pod, secrets.value.missing);
    const repository = toRepository(image);
    const sources = [
      secrets.value.parts,
      [{ source: { kind: 'node' } as const, config: await nodeConfig.read() }],
      await providers.find(pod, repository, signal),
    ];
    signal.throwIfAborted();
    return accept(sources.flatMap((parts) => lookUpCredentials(toKeyring(parts), repository)));
  }

  /** The pod is gone. */
  forget(uid: string): void {
    this.#reportedMissing.delete(uid);
    this.#parts.tokens.forget(uid);
  }

  #recordMissing(pod: Pod, missing: readonly string[]): void {
    const { uid } = pod.metadata;
    const names = missing.join(', ');
    if (this.#reportedMissing.get(uid) === names) return;
    if (names === '') {
      this.#reportedMissing.delete(uid);
      return;
    }
    this.#reportedMissing.set(uid, names);
    const message = `Unable to retrieve some image pull secrets (${names}); attempting to pull the image may not succeed.`;
    this.#parts.events.record({
      about: { pod },
      type: 'Warning',
      reason: 'FailedToRetrieveImagePullSecret',
      message,
    });
  }
}

/** By which credentials are compared and remembered. */
export function computeCredentialHash(credential: PullCredential): string {
  return createHash('sha256').update(renderHashedCredential(credential)).digest('hex');
}
