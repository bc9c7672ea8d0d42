/**
 * The images the runtime holds. Implemented by adapters/cri and by the fake.
 * Calls reject with AgentError; a pull has no deadline of its own and ends
 * early only through `signal`.
 */
import type { RegistryCredential } from '../../core/image/registry-credential.ts';
import type { SandboxConfig } from '../../core/model/sandbox-config.ts';
import type { RuntimeCallOptions } from './container-runtime.ts';

export interface ImageInfo {
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly sizeBytes: number;
  /** The user the image declares: a number when it is numeric, else a name, else neither. */
  readonly uid?: number;
  readonly username?: string;
  readonly pinned: boolean;
}

export interface ImageFsUsage {
  readonly mountpoint: string;
  readonly usedBytes: number;
  readonly inodesUsed: number;
  readonly timestampMs: number;
}

/** The pod the image is for. */
export interface ImageCallOptions extends RuntimeCallOptions {
  readonly sandboxConfig?: SandboxConfig;
  /** Where runtimes keep images apart by handler. */
  readonly runtimeHandler?: string;
}

export interface ImageService {
  /** Undefined when the image is not on this machine. */
  imageStatus(image: string, options?: ImageCallOptions): Promise<ImageInfo | undefined>;
  /** Returns the identity the runtime knows the pulled image by. */
  pullImage(
    image: string,
    options?: ImageCallOptions & { readonly credential?: RegistryCredential },
  ): Promise<string>;
  listImages(options?: RuntimeCallOptions): Promise<ImageInfo[]>;
  removeImage(image: string, options?: RuntimeCallOptions): Promise<void>;
  imageFsInfo(
    options?: RuntimeCallOptions,
  ): Promise<{ readonly images: ImageFsUsage[]; readonly containers: ImageFsUsage[] }>;
}
