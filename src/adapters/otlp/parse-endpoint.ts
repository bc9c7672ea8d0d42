/** Where a collector listens, from the endpoint of the configuration, in gRPC's ways to name one. Pure. */
import type { TcpPlace } from '../grpc/grpc-channel.ts';

const DEFAULT_PORT = 4317;
/** What is assumed where a target has no port, as gRPC does. */
const DNS_PORT = 443;

/** `host:port`, `dns:…`, `unix:…` or `unix-abstract:…`; undefined for the usual place. The text was validated before. */
export function parseCollectorEndpoint(text: string | undefined): string | TcpPlace {
  if (text === undefined || text === '') return { host: 'localhost', port: DEFAULT_PORT };
  if (text.startsWith('unix-abstract:'))
    return `\0${withoutAuthority(text.slice('unix-abstract:'.length), '')}`;
  if (text.startsWith('unix:')) return withoutAuthority(text.slice('unix:'.length), '/');
  const target = text.startsWith('dns:') ? withoutAuthority(text.slice('dns:'.length), '') : text;
  return toTcp(target);
}

/** `//authority/rest` is `rest` after `root`; without slashes it is all there is. */
function withoutAuthority(text: string, root: string): string {
  if (!text.startsWith('//')) return text;
  const slash = text.indexOf('/', 2);
  return slash < 0 ? '' : root + text.slice(slash + 1);
}

function toTcp(target: string): TcpPlace {
  const [, bracketed, plain = '', port = DNS_PORT] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(target) ?? [
    undefined,
    target,
  ];
  return { host: bracketed ?? plain, port: Number(port) };
}
