/** The page as a route of a listener. Nothing of it is loaded before it is asked for. */
import type { HttpReply, HttpRequest } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';
import type { PageSite } from './page-site.ts';
import type { PageSource } from './page-source.ts';

/** Where it stands on the main port. */
export const PAGE_PATH = '/ui/';

/** `path` ends in a slash. With a token only a caller who knows it gets in, as the loopback port needs it. */
export function toPageRoute(path: string, source: PageSource, token?: string): Route {
  let site: Promise<PageSite> | undefined;
  const handle = async (request: HttpRequest, signal: AbortSignal): Promise<HttpReply> => {
    if (token !== undefined) {
      const { refuseStranger } = await import('./local-access.ts');
      const refusal = refuseStranger(request, token);
      if (refusal !== undefined) return refusal;
    }
    site ??= load(source);
    const below = request.path.slice(path.length).split('/');
    return (await site).reply(
      request,
      below.filter((part) => part !== ''),
      signal,
    );
  };
  return { path, methods: ['GET', 'HEAD'], handle };
}

async function load(source: PageSource): Promise<PageSite> {
  const { PageSite } = await import('./page-site.ts');
  return new PageSite(source);
}
