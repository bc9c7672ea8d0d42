/**
 * A mount table for tests of drivers on a real directory, which need no
 * privilege then: nothing is mounted, but what would be is remembered, for a
 * bind with the inode that the descriptor stood for.
 */
import { fstatSync } from 'node:fs';
import { AgentError } from '../../src/base/errors.ts';
import type { Mounter, MountRequest } from '../../src/ports/host/mounter.ts';

export class RecordingMounter implements Mounter {
  readonly mounts = new Map<string, Partial<MountRequest> & { readonly inode?: number }>();
  readonly calls: string[] = [];
  /** The next mount fails with this. */
  failure: AgentError | undefined;

  async mountsBelow(path: string): Promise<string[]> {
    return [...this.mounts.keys()].filter((at) => at === path || at.startsWith(`${path}/`)).sort();
  }

  async mount(request: MountRequest): Promise<void> {
    this.#attempt(`mount ${request.fsType}`);
    this.mounts.set(request.target, request);
  }

  async bind(descriptor: number, target: string): Promise<void> {
    this.#attempt('bind');
    this.mounts.set(target, { target, inode: fstatSync(descriptor).ino });
  }

  async remount(target: string, options: readonly string[]): Promise<void> {
    this.#attempt('remount');
    this.mounts.set(target, { ...this.mounts.get(target), options });
  }

  async unmountMemory(): Promise<boolean> {
    return false;
  }

  async unmount(target: string, _signal?: AbortSignal, force = false): Promise<void> {
    this.#attempt(force ? 'force unmount' : 'unmount');
    this.mounts.delete(target);
  }

  #attempt(call: string): void {
    this.calls.push(call);
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }
}

export function mountFailure(message = 'cannot mount: no luck'): AgentError {
  return new AgentError('unknown', message);
}
