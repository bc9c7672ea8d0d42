/**
 * The page for people: on a loopback port where the configuration opens one, and below the main port. A port that
 * is taken costs the page, never the agent: it is logged once and retried.
 */
import { join } from 'node:path';
import { keepListening } from '../../../server/http/keep-listening.ts';
import type { LocalServerSettings } from '../../../server/local-server.ts';
import {
  createPageServer,
  PAGE_HOST,
  PAGE_PORT,
  type PageAddress,
} from '../../../server/page/page-server.ts';
import type { PageSource } from '../../../server/page/page-source.ts';
import { loadPageToken } from '../../process/page-token.ts';
import { describeTakenPort } from '../../process/taken-port.ts';
import type { Foundation } from '../foundation.ts';
import type { NodeWiring } from '../node.ts';

const RETRY_MS = 30_000;

export function toPageSource(
  settings: Omit<LocalServerSettings, 'page'>,
  state: NodeWiring['state'],
): PageSource {
  return { ...settings, node: { ...settings.node, problems: () => listProblems(state) } };
}

function listProblems(state: NodeWiring['state']): string[] {
  const { memory, disk, pid } = state.get('pressures');
  return [
    state.get('runtime').problem,
    state.get('network'),
    state.get('shutdown'),
    memory && 'MemoryPressure',
    disk && 'DiskPressure',
    pid && 'PIDPressure',
  ].filter((problem) => typeof problem === 'string');
}

/** Opens the loopback port, if one is wanted. The result says where the page is at the moment. */
export async function startPage(
  { loaded, clock, logger, scope }: Foundation,
  source: PageSource,
  rootDir: string,
): Promise<() => PageAddress> {
  const port = toPort(loaded.flags);
  if (port === 0) return () => ({ problem: 'the page is off; --page-port=4194 turns it on' });
  let state: PageAddress = { problem: 'the page is not open yet' };
  const token = await loadPageToken(join(rootDir, 'kubelet-ts', 'page-token'), logger);
  const listener = createPageServer(port, source, token);
  const onOpen = (): void => {
    state = { address: `http://${PAGE_HOST}:${port}/?token=${token}` };
    logger.info('page open', { port, address: 'see "kubelet page"' });
  };
  const onUnavailable = async (error: unknown): Promise<void> => {
    const { message } = await describeTakenPort(error, { setting: '--page-port', port });
    state = { problem: `the page is not open: ${message}` };
    logger.warn('cannot open the page, retrying', { err: message });
  };
  scope.run(
    (stop) => keepListening({ listener, retryMs: RETRY_MS, clock, onOpen, onUnavailable }, stop),
    (error) => logger.error('page failed', error),
  );
  return () => state;
}

function toPort({ pagePort, kubeconfig }: Foundation['loaded']['flags']): number {
  if (pagePort >= 0) return pagePort;
  return kubeconfig === '' ? PAGE_PORT : 0;
}
