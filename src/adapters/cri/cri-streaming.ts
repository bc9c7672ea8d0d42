/** The port StreamingRuntime on the runtime interface. Holds no state. */
import { AgentError } from '../../base/errors.ts';
import type { ContainerId, SandboxId } from '../../core/model/ids.ts';
import type { RuntimeCallOptions } from '../../ports/runtime/container-runtime.ts';
import type { StreamingRuntime, StreamSet } from '../../ports/runtime/streaming-runtime.ts';
import type { CriClient } from './cri-client.ts';

export class CriStreaming implements StreamingRuntime {
  readonly #client: Pick<CriClient, 'call'>;

  constructor(client: Pick<CriClient, 'call'>) {
    this.#client = client;
  }

  async exec(
    id: ContainerId,
    command: readonly string[],
    streams: StreamSet,
    options?: RuntimeCallOptions,
  ): Promise<URL> {
    const request = { containerId: id, cmd: command, ...streams };
    return toUrl((await this.#client.call('exec', request, options)).url);
  }

  async attach(id: ContainerId, streams: StreamSet, options?: RuntimeCallOptions): Promise<URL> {
    return toUrl((await this.#client.call('attach', { containerId: id, ...streams }, options)).url);
  }

  async portForward(id: SandboxId, ports: readonly number[], options?: RuntimeCallOptions): Promise<URL> {
    const request = { podSandboxId: id, port: [...ports] };
    return toUrl((await this.#client.call('portForward', request, options)).url);
  }
}

/** Some runtimes leave the scheme out. */
function toUrl(text: string): URL {
  const url = URL.parse(text.startsWith('//') ? `http:${text}` : text);
  if (url === null)
    throw new AgentError('unknown', `cannot use streaming address "${text}" of the runtime: not a URL`);
  return url;
}
