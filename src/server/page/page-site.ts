/**
 * Everything the page answers: pages, their updates, logs, its style and its script. Read-only. Loaded with the first
 * request; what it keeps is the last measurement and the counts of open streams.
 */
import { onAbort } from '../../base/async/on-abort.ts';
import { html } from '../../base/text/html.ts';
import { type HttpReply, type HttpRequest, toErrorReply } from '../http/http-exchange.ts';
import { PeerCounts, toPeer } from '../http/peer-counts.ts';
import { toContainerLogsRoute } from '../logs/container-logs-route.ts';
import { SCRIPT } from './asset/script.ts';
import { DrawnPages } from './drawn-pages.ts';
import { ImageLook } from './image-look.ts';
import { toLiveReply } from './live-updates.ts';
import { STALL_MS, toPageReply, toPageStream, withPageHeaders } from './page-headers.ts';
import type { PageSource } from './page-source.ts';
import { findView, type ViewParts, type ViewQuery } from './page-views.ts';
import { streamPage } from './stream-page.ts';
import { chooseText } from './text/choose-text.ts';
import { UsageSampler } from './usage-sampler.ts';
import { MARK_PATH } from './view/layout.ts';
import { toSection } from './view/section.ts';
import { toLinks, type ViewContext } from './view/view-context.ts';

/** Updates and logs that are open at a time, in all and of one peer. */
const [MAX_STREAMS, MAX_PEER_STREAMS] = [32, 16];
/** Of a log that is followed, and of one that is shown as it is. */
const [TAIL_LINES, PLAIN_LINES] = ['500', '10000'];
const LOG_BYTES = String(4 * 1024 * 1024);
const MAX_NAME = 253;
/** Nothing to see. */
const MARK = '<svg xmlns="http://www.w3.org/2000/svg"/>';

export class PageSite {
  readonly #source: PageSource;
  readonly #usage: UsageSampler;
  readonly #images: ImageLook;
  readonly #drawn: DrawnPages;
  readonly #streams = new PeerCounts(MAX_STREAMS, MAX_PEER_STREAMS);

  constructor(source: PageSource) {
    this.#source = source;
    this.#usage = new UsageSampler(source);
    this.#images = new ImageLook(source);
    this.#drawn = new DrawnPages(source.kit.clock);
  }

  /** `path` has the parts below the first. */
  async reply(request: HttpRequest, path: readonly string[], signal: AbortSignal): Promise<HttpReply> {
    const [first = ''] = path;
    if (path.length === 1 && first === 'script.js') return toPageReply(200, 'text/javascript', SCRIPT);
    if (path.length === 1 && first === MARK_PATH) return this.#replyMark(request);
    if (path.length === 1 && first === 'live') return this.#replyLive(request, signal);
    if (first === 'logs') return this.#replyLog(request, path.slice(1), signal);
    return this.#replyPage(request, path);
  }

  #replyPage(request: HttpRequest, path: readonly string[]): HttpReply {
    const query = toViewQuery(request.query);
    const view = findView(path, query);
    const status = view === undefined ? 404 : 200;
    if (request.method === 'HEAD') return toPageReply(status, 'text/html', '');
    const context = this.#toContext(request, path.length, true);
    const frame = { nodeName: this.#source.nodeName, path, query: toFrameQuery(query) };
    const gather = async () =>
      view === undefined
        ? [toSection('pod', context.text.layout.notFound, html``)]
        : view(this.#viewParts(), context);
    const drawnPages = isDrawn(request) ? this.#drawn : undefined;
    const page = { frame, context, gather, drawnPages };
    return toPageStream(status, (sink, signal) => streamPage(page, sink, signal));
  }

  /** A browser that asks for the mark has drawn what stands above it. */
  #replyMark({ method, query }: HttpRequest): HttpReply {
    this.#drawn.report(query.get('page') ?? '');
    return toPageReply(200, 'image/svg+xml', method === 'HEAD' ? '' : MARK);
  }

  #replyLive(request: HttpRequest, signal: AbortSignal): HttpReply {
    const path = (request.query.get('view') ?? '').split('/').filter((part) => part !== '');
    const view = findView(path, toViewQuery(request.query));
    if (view === undefined) return withPageHeaders(toErrorReply(404, 'no such page'));
    if (request.method === 'HEAD') return toPageReply(200, 'text/plain', '');
    if (!this.#takePlace(request, signal)) return tooMany();
    const render = async () => view(this.#viewParts(), this.#toContext(request, path.length, false));
    return withPageHeaders(toLiveReply({ source: this.#source, usage: this.#usage, render }));
  }

  async #replyLog(request: HttpRequest, names: readonly string[], signal: AbortSignal): Promise<HttpReply> {
    const [namespace, pod, container, ...more] = names;
    if (container === undefined || more.length > 0) return withPageHeaders(toErrorReply(404, 'no such log'));
    const { pods, kit, containers } = this.#source;
    const route = toContainerLogsRoute({ ...containers.logs, pods, clock: kit.clock });
    const follows = request.query.get('follow') === '1';
    const query = new URLSearchParams({ tailLines: follows ? TAIL_LINES : PLAIN_LINES });
    const uid = request.query.get('uid');
    if (uid !== null) query.set('uid', uid);
    if (follows) query.set('follow', 'true');
    else query.set('limitBytes', LOG_BYTES);
    if (!this.#takePlace(request, signal)) return tooMany();
    const params = { namespace: namespace ?? '', pod: pod ?? '', container };
    const reply = await route.handle({ ...request, query, params }, signal);
    const headers = { ...reply.headers, 'content-type': 'text/plain; charset=utf-8' };
    if (request.method === 'HEAD') return withPageHeaders({ status: reply.status, headers, body: '' });
    return withPageHeaders({ ...reply, headers, stallMs: STALL_MS });
  }

  /** False when there is none; else it is given back when the reply has ended, however it ends. */
  #takePlace({ peer }: HttpRequest, signal: AbortSignal): boolean {
    const release = this.#streams.take(toPeer(peer?.address));
    if (release === undefined) return false;
    onAbort(signal, release);
    return true;
  }

  #viewParts(): ViewParts {
    return { source: this.#source, usage: this.#usage, readImages: () => this.#images.read() };
  }

  #toContext({ query, headers }: HttpRequest, depth: number, showsAges: boolean): ViewContext {
    const asked = query.get('lang');
    const text = chooseText(asked, String(headers['accept-language'] ?? ''));
    const links = toLinks(depth, asked === null ? undefined : text.lang);
    return { text, links, showsAges, nowMs: this.#source.kit.clock.now() };
  }
}

/** Browsers say what they ask for; other programs, and old browsers, do not. */
function isDrawn({ headers }: HttpRequest): boolean {
  return headers['sec-fetch-dest'] === 'document';
}

function tooMany(): HttpReply {
  const reply = toPageReply(429, 'text/plain', 'Too many pages are open.\n');
  return { ...reply, headers: { ...reply.headers, 'retry-after': '10' } };
}

function toViewQuery(query: URLSearchParams): ViewQuery {
  const take = (name: string): string | undefined => query.get(name)?.slice(0, MAX_NAME);
  return { uid: take('uid'), container: take('container') };
}

function toFrameQuery({ uid, container }: ViewQuery): Record<string, string> {
  return { ...(uid === undefined ? {} : { uid }), ...(container === undefined ? {} : { container }) };
}
