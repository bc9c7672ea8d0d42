/**
 * statusz and flagz, pages every Kubernetes component has: plain text for
 * people, JSON or YAML for clients that ask for the kind by name.
 */
import { stringify } from 'yaml';
import type { Clock } from '../../base/async/clock.ts';
import { type HttpReply, type HttpRequest, toRouterReply } from '../http/http-exchange.ts';
import type { Route } from '../http/route-list.ts';

export interface ComponentFacts {
  /** Such as `1.36.4`, and where it is the emulated one, `1.36`. */
  readonly binaryVersion: string;
  readonly startedAtMs: number;
  readonly clock: Clock;
  /** Name and value, secrets masked. */
  readonly flags: readonly (readonly [name: string, value: string])[];
  /** The paths of the port. */
  readonly paths: () => readonly string[];
}

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';
const GROUP = 'config.k8s.io';

export function toStatuszRoute(facts: ComponentFacts): Route {
  const handle = (request: HttpRequest): HttpReply =>
    negotiate(
      request,
      'Statusz',
      () => renderStatusz(facts),
      () => toStatusz(facts),
    );
  return { path: '/statusz', methods: 'any', handle };
}

export function toFlagzRoute(facts: ComponentFacts): Route {
  const lines = facts.flags.map(([name, value]) => `${name}=${value}`);
  const handle = (request: HttpRequest): HttpReply =>
    negotiate(
      request,
      'Flagz',
      () => `\nkubelet flagz\n${WARNING}\n\n${lines.join('\n')}\n`,
      () => ({ flags: Object.fromEntries(facts.flags) }),
    );
  return { path: '/flagz', methods: 'any', handle };
}

const ENCODERS: Readonly<Record<string, (document: object) => string>> = {
  'application/json': toPrettyJson,
  'application/yaml': (document) => stringify(document, { sortMapEntries: true, lineWidth: 0 }),
};

/** Text unless a media type asks for the kind, its version and group. */
function negotiate(
  { headers }: HttpRequest,
  kind: string,
  renderText: () => string,
  toFields: () => object,
): HttpReply {
  const accept = String(headers['accept'] ?? '').trim() || '*/*';
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (type === 'text/plain' || type === '*/*' || type === 'text/*')
      return toRouterReply(200, renderText(), { 'content-type': 'text/plain; charset=utf-8' });
    const given = new Map(parameters.map((part) => part.split('=') as [string, string]));
    const version = given.get('v');
    if (ENCODERS[type] === undefined || given.get('as') !== kind || given.get('g') !== GROUP) continue;
    if (version === 'v1beta1' || version === 'v1alpha1') return toKindReply(type, kind, version, toFields());
  }
  return NOT_ACCEPTABLE;
}

const NOT_ACCEPTABLE: HttpReply = {
  status: 406,
  headers: { 'content-type': 'application/json' },
  body: toPrettyJson({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'only the following media types are accepted: application/json, application/yaml, text/plain',
    reason: 'NotAcceptable',
    code: 406,
  }),
};

function toPrettyJson(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function toKindReply(type: string, kind: string, version: string, fields: object): HttpReply {
  const document = { kind, apiVersion: `${GROUP}/${version}`, metadata: { name: 'kubelet' }, ...fields };
  const headers = { 'content-type': `${type};g=${GROUP};v=${version};as=${kind}` };
  const warning = `299 - "This version of the ${kind.toLowerCase()} endpoint is deprecated. Please use a newer version."`;
  return {
    status: 200,
    headers: version === 'v1beta1' ? headers : { ...headers, warning },
    body: ENCODERS[type]?.(document) ?? '',
  };
}

function toStatusz({ binaryVersion, startedAtMs, clock, paths }: ComponentFacts): object {
  return {
    startTime: new Date(startedAtMs).toISOString().replace(/\.\d+/, ''),
    uptimeSeconds: Math.floor((clock.now() - startedAtMs) / 1000),
    // The field is called after the language of other components.
    goVersion: `node${process.versions.node}`,
    binaryVersion,
    emulationVersion: toEmulated(binaryVersion),
    paths: paths(),
  };
}

function renderStatusz(facts: ComponentFacts): string {
  const seconds = Math.floor((facts.clock.now() - facts.startedAtMs) / 1000);
  const two = (n: number): string => String(n).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const lines = [
    `Started: ${new Date(facts.startedAtMs).toUTCString()}`,
    `Up: ${hours} hr ${two(minutes)} min ${two(seconds % 60)} sec`,
    `Go version: node${process.versions.node}`,
    `Binary version: ${facts.binaryVersion}`,
    `Emulation version: ${toEmulated(facts.binaryVersion)}`,
    `Paths: ${facts.paths().join(' ')}`,
  ];
  return `\nkubelet statusz\n${WARNING}\n\n${lines.join('\n')}\n`;
}

function toEmulated(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
