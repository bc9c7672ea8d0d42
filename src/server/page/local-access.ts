/**
 * Who may see the page on the loopback port. Every user of the machine, every container in its network, and every web
 * site that a browser on it shows can reach that port, so being there proves nothing: the caller must know the token
 * that only root can read. It comes once with the address and is then a cookie.
 *
 *   Host of another name ──► 403 (a site that points its own name at 127.0.0.1)
 *   ?token= right        ──► cookie, and the same address without it
 *   cookie right         ──► the page
 *   anything else        ──► 403 with a word on how to get in
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HttpReply, HttpRequest } from '../http/http-exchange.ts';
import { toPageReply } from './page-headers.ts';

const HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const HOW = 'This page needs the address that "kubelet page" prints, as root on the node.\n';

/** Undefined for a caller that may go on; else the reply it gets. */
export function refuseStranger(request: HttpRequest, token: string): HttpReply | undefined {
  const { headers, query } = request;
  if (!HOST.test(String(headers['host'] ?? '')))
    return refuse('This name is not one of the loopback address.\n');
  if (comesFromElsewhere(headers)) return refuse('Only this page itself may ask for that.\n');
  const session = toSession(token);
  const given = query.get('token');
  if (given !== null) return isSame(given, token) ? welcome(request, session) : refuse(HOW);
  const cookies = String(headers['cookie'] ?? '').split(/; */);
  const isKnown = cookies.some((cookie) => isSame(cookie, `${session.name}=${session.value}`));
  return isKnown ? undefined : refuse(HOW);
}

interface Session {
  readonly name: string;
  readonly value: string;
}

/**
 * Cookies know no ports: other servers on loopback get them too. So the cookie is not the token, and several kubelets
 * have one each.
 */
function toSession(token: string): Session {
  const digest = (what: string): string => createHmac('sha256', token).update(what).digest('hex');
  return { name: `kubelet-page-${digest('name').slice(0, 8)}`, value: digest('session') };
}

/** A page of another origin may link here, but may not load anything from here. */
function comesFromElsewhere(headers: HttpRequest['headers']): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document';
}

function welcome({ path, query }: HttpRequest, { name, value }: Session): HttpReply {
  const rest = new URLSearchParams(query);
  rest.delete('token');
  const parts = path.split('/').filter((part) => part !== '');
  const location = `/${parts.map(encodeURIComponent).join('/')}${rest.size === 0 ? '' : `?${rest}`}`;
  const reply = toPageReply(303, 'text/plain', '');
  const cookie = `${name}=${value}; Path=/; HttpOnly; SameSite=Strict`;
  return { ...reply, headers: { ...reply.headers, location, 'set-cookie': cookie } };
}

function refuse(why: string): HttpReply {
  return toPageReply(403, 'text/plain', why);
}

/** In a time that does not depend on where they differ. */
function isSame(given: string, wanted: string): boolean {
  const hash = (text: string): Buffer => createHmac('sha256', 'compare').update(text).digest();
  return timingSafeEqual(hash(given), hash(wanted));
}
