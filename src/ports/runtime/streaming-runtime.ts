/**
 * Addresses of the runtime's own streaming server: the agent asks for one per
 * request and connects the client to it.
 */
import type { ContainerId, SandboxId } from '../../core/model/ids.ts';
import type { RuntimeCallOptions } from './container-runtime.ts';

export interface StreamSet {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface StreamingRuntime {
  /** Rejects with AgentError; `not-found`, `resource-exhausted` and the rest in the runtime's words. */
  exec(
    id: ContainerId,
    command: readonly string[],
    streams: StreamSet,
    options?: RuntimeCallOptions,
  ): Promise<URL>;
  attach(id: ContainerId, streams: StreamSet, options?: RuntimeCallOptions): Promise<URL>;
  /** `ports` is empty when the stream itself names them. */
  portForward(id: SandboxId, ports: readonly number[], options?: RuntimeCallOptions): Promise<URL>;
}
