/**
 * The HTTP request of an httpGet handler of a probe or hook: address, path and
 * headers, with defaults for everything the API leaves open. Nothing is sent
 * here.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { IntOrString } from '../api/meta.ts';
import type { Container, HttpGetAction } from '../api/pod.ts';

export interface HttpGetRequest {
  readonly scheme: 'http' | 'https';
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path and query, always with a leading `/`. */
  readonly path: string;
  /** In the order they are sent; `Host` is always among them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Fails when the port cannot be resolved or there is no address. */
export function toHttpRequest(
  action: HttpGetAction,
  container: Container,
  podIp: string | undefined,
  userAgent: string,
): Outcome<HttpGetRequest> {
  const port = resolvePort(action.port, container);
  if (!port.ok) return port;
  const host = resolveHost(action.host, podIp);
  if (!host.ok) return host;
  const scheme = action.scheme === 'HTTPS' ? 'https' : 'http';
  const headers = toHeaders(action, userAgent, joinHostPort(host.value, port.value));
  return accept({ scheme, host: host.value, port: port.value, path: toPath(action.path), headers });
}

/** The text of the request's URL. */
export function renderUrl({ scheme, host, port, path }: HttpGetRequest): string {
  return `${scheme}://${joinHostPort(host, port)}${path}`;
}

export function joinHostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A name is looked up among the container's ports; text that is a number counts as one. */
export function resolvePort(port: IntOrString, container: Container): Outcome<number> {
  let value = typeof port === 'number' ? port : undefined;
  value ??= container.ports?.find(({ name }) => name === port)?.containerPort;
  if (value === undefined && !/^[+-]?\d+$/.test(String(port)))
    return refuse(`strconv.Atoi: parsing ${quote(String(port))}: invalid syntax`);
  value ??= Number(port);
  return value > 0 && value < 65_536 ? accept(value) : refuse(`invalid port number: ${value}`);
}

/** The host named by the handler, else the pod itself. */
export function resolveHost(host: string | undefined, podIp: string | undefined): Outcome<string> {
  const value = host === undefined || host === '' ? podIp : host;
  return value === undefined ? refuse('the pod has no address') : accept(value);
}

function toHeaders(action: HttpGetAction, userAgent: string, host: string): [string, string][] {
  const given = (action.httpHeaders ?? []).map(({ name, value }): [string, string] => [name, value]);
  const givenValue = (wanted: string): string | undefined =>
    given.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const special = new Set(['host', 'user-agent', 'accept']);
  const others = given.filter(([name]) => !special.has(name.toLowerCase()));
  const own: [string, string][] = [
    ['Host', givenValue('host') || host],
    ['User-Agent', givenValue('user-agent') ?? userAgent],
    ['Accept', givenValue('accept') ?? '*/*'],
  ];
  // An empty value asks for the header to be left out.
  return [...own.filter(([, value]) => value !== ''), ...others];
}

/** Percent-encodes what cannot be in a request line; the fragment never leaves the client. */
function toPath(path = ''): string {
  const [target = ''] = path.split('#');
  const rooted = target.startsWith('/') ? target : `/${target}`;
  return rooted.replace(/[^\x21-\x7e]/gu, (character) =>
    character.isWellFormed() ? encodeURIComponent(character) : '%EF%BF%BD',
  );
}
