/**
 * The image half of a connection to the fake runtime, and the way every call
 * of a connection is made. See fake-runtime-connection.ts for the rest.
 */
import type { RegistryCredential } from '../../src/core/image/registry-credential.ts';
import type { PodUid } from '../../src/core/model/ids.ts';
import type { SandboxConfig } from '../../src/core/model/sandbox-config.ts';
import type { RuntimeCallOptions } from '../../src/ports/runtime/container-runtime.ts';
import type { ImageFsUsage, ImageInfo, ImageService } from '../../src/ports/runtime/image-service.ts';
import type { AgentLife } from './agent-life.ts';
import type { FakeRuntimeCore } from './fake-runtime-core.ts';
import { type CallPlan, runCall } from './runtime-call.ts';
import type { RuntimeCall } from './runtime-faults.ts';

type Extras<T> = Partial<Pick<CallPlan<T>, 'prepare' | 'undo' | 'deadlineMs'>>;

export class FakeImageConnection implements ImageService {
  protected readonly core: FakeRuntimeCore;
  protected readonly life: AgentLife;

  constructor(core: FakeRuntimeCore, life: AgentLife) {
    this.core = core;
    this.life = life;
  }

  imageStatus(image: string, options?: RuntimeCallOptions): Promise<ImageInfo | undefined> {
    return this.call({ op: 'imageStatus', id: image }, options, () => this.core.images.find(image));
  }

  pullImage(
    image: string,
    options?: RuntimeCallOptions & {
      readonly credential?: RegistryCredential;
      readonly sandboxConfig?: SandboxConfig;
    },
  ): Promise<string> {
    const podUid = options?.sandboxConfig?.uid as PodUid | undefined;
    const call: RuntimeCall = { op: 'pullImage', id: image, ...(podUid === undefined ? {} : { podUid }) };
    return this.call(call, options, () => this.core.images.pull(image, options?.credential).id, {
      deadlineMs: Number.POSITIVE_INFINITY,
    });
  }

  listImages(options?: RuntimeCallOptions): Promise<ImageInfo[]> {
    return this.call({ op: 'listImages' }, options, () => this.core.images.all);
  }

  removeImage(image: string, options?: RuntimeCallOptions): Promise<void> {
    return this.call({ op: 'removeImage', id: image }, options, () => this.core.images.remove(image));
  }

  imageFsInfo(options?: RuntimeCallOptions): Promise<{ images: ImageFsUsage[]; containers: ImageFsUsage[] }> {
    const usage = (mountpoint: string, usedBytes: number): ImageFsUsage => ({
      mountpoint,
      usedBytes,
      inodesUsed: 1000,
      timestampMs: this.core.clock.now(),
    });
    return this.call({ op: 'imageFsInfo' }, options, () => {
      const usedBytes = this.core.images.all.reduce((sum, image) => sum + image.sizeBytes, 0);
      return {
        images: [usage('/var/lib/fake/images', usedBytes)],
        containers: [usage('/var/lib/fake/containers', 0)],
      };
    });
  }

  /** Makes one call; `effect` is what it does on the machine. */
  protected call<T>(
    call: RuntimeCall,
    options: RuntimeCallOptions | undefined,
    effect: CallPlan<T>['effect'],
    extras: Extras<T> = {},
  ): Promise<T> {
    const latencyMs = this.core.latencyOf(call.op);
    const deadlineMs = this.core.callDeadlineMs;
    return runCall(this.core, this.life, {
      call,
      signal: options?.signal,
      latencyMs,
      deadlineMs,
      effect,
      ...extras,
    });
  }
}
