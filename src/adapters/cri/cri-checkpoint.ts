/** Asks the runtime to write a running container into an archive; the directory is for root alone. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ContainerId } from '../../core/model/ids.ts';
import { toCheckpointTimeout } from './cri-calls.ts';
import type { CriClient } from './cri-client.ts';

/** Rejects with AgentError when the runtime refuses, with the system's error when the directory cannot be made. */
export async function checkpointContainer(
  client: Pick<CriClient, 'call' | 'requestTimeoutMs'>,
  id: ContainerId,
  location: string,
  timeoutSeconds: number,
): Promise<void> {
  const timeout = toCheckpointTimeout(client.requestTimeoutMs, timeoutSeconds);
  await mkdir(dirname(location), { recursive: true, mode: 0o700 });
  await client.call('checkpointContainer', { containerId: id, location, timeout });
}
