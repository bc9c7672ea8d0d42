/** The loopback port of the page (4194, where kubelets once showed cAdvisor's). */
import { HttpListener } from '../http/http-listener.ts';
import type { ListenerLimits } from '../http/listener-limits.ts';
import { toPageRoute } from './page-route.ts';
import type { PageSource } from './page-source.ts';

export const PAGE_PORT = 4194;
export const PAGE_HOST = '127.0.0.1';

/** Where a sub-command finds the page, with the token that lets its reader in; or why there is none. */
export type PageAddress = { readonly address: string } | { readonly problem: string };

/** Its callers share one address, so none needs a share kept free for it. */
const LIMITS: Partial<ListenerLimits> = {
  maxHeaderBytes: 16 * 1024,
  maxBodyBytes: 0,
  maxConnections: 100,
  maxPeerConnections: 100,
  maxRequests: 64,
  maxPeerRequests: 64,
};

/** A listener that is not started yet. */
export function createPageServer(port: number, source: PageSource, token: string): HttpListener {
  return new HttpListener({
    name: 'page',
    place: { address: PAGE_HOST, port },
    kit: source.kit,
    routes: [toPageRoute('/', source, token)],
    limits: LIMITS,
  });
}
