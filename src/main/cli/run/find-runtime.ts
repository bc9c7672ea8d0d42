/** Which runtime a run uses: the one that was named, or the first that listens at a usual place. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { parseEndpoint } from '../../../adapters/cri/endpoint.ts';
import { AgentError } from '../../../base/errors.ts';

export const USUAL_SOCKETS: readonly string[] = [
  '/run/containerd/containerd.sock',
  '/run/crio/crio.sock',
  '/run/cri-dockerd.sock',
  '/run/k3s/containerd/containerd.sock',
];

const INSTALL_ADVICE =
  'install one (Debian: apt-get install containerd containernetworking-plugins) and start it, or name its socket with --runtime-endpoint or CONTAINER_RUNTIME_ENDPOINT';

export interface RuntimeHints {
  /** As it was named on the command line. */
  readonly named: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `open`, or an errno such as ENOENT. */
  readonly trySocket?: (path: string) => Promise<string>;
  readonly usual?: readonly string[];
}

/** The endpoint. Rejects with AgentError that says what is missing and how to get it. */
export async function findRuntime({
  named,
  env,
  trySocket = connectOnce,
  usual = USUAL_SOCKETS,
}: RuntimeHints): Promise<string> {
  const chosen = named ?? (env['CONTAINER_RUNTIME_ENDPOINT'] || undefined);
  if (chosen !== undefined) {
    const { socketPath } = parseEndpoint(chosen);
    const state = await trySocket(socketPath);
    if (state === 'open') return `unix://${socketPath}`;
    throw new AgentError(
      'unavailable',
      `no container runtime listens on ${JSON.stringify(socketPath)} (${state})`,
    );
  }
  const states = new Map<string, string>();
  for (const path of usual) {
    const state = await trySocket(path);
    if (state === 'open') return `unix://${path}`;
    states.set(path, state);
  }
  const closed = usual.find((path) => states.get(path) === 'EACCES');
  if (closed !== undefined)
    throw new AgentError(
      'permission-denied',
      `may not open ${JSON.stringify(closed)}: run it as root (sudo)`,
    );
  throw new AgentError(
    'unavailable',
    `found no container runtime: nothing listens on ${usual.join(', ')}\n${INSTALL_ADVICE}`,
  );
}

/** A socket file outlives its runtime, so only an accepted connection counts. */
export async function connectOnce(path: string): Promise<string> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return 'open';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed';
  } finally {
    socket.destroy();
  }
}
