/**
 * A fault of containerd (its issue 11037): when the caller of StartContainer
 * dies after the process was made and before the answer, the container is
 * shown as exited while the daemon still counts its task. Every
 * RemoveContainer is refused from then on, until the daemon is started again.
 * No call of the CRI helps, so tests that kill the kubelet do what an
 * operator does; the kubelet, which never gave up, must then remove it all.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { LogLine } from '../../scripts/demo/kubelet-process.ts';
import type { RuntimeReader } from '../../src/ports/runtime/container-runtime.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'host', 'containerd.sh');
const REFUSAL = /cannot delete running task ([0-9a-f]{64})/;

/** Containers that the runtime shows as exited and yet refused to remove because they run. */
export async function findStuckContainers(
  logs: readonly LogLine[],
  reader: RuntimeReader,
): Promise<string[]> {
  const refused = new Set(logs.map((line) => REFUSAL.exec(JSON.stringify(line))?.[1]));
  const containers = await reader.listContainers();
  return containers.filter(({ id, state }) => state === 'exited' && refused.has(id)).map(({ id }) => id);
}

/** Ends the containerd behind the endpoint and starts it again; its pods go on running. */
export async function restartContainerd(endpoint: string): Promise<void> {
  const directory = dirname(endpoint.replace('unix://', ''));
  const version = (await readFile(join(directory, 'version'), 'utf8')).trim();
  for (const command of ['down', 'up'])
    await promisify(execFile)(SCRIPT, [command, version, basename(directory)]);
}
