/**
 * The head of a request to the API server as HTTP/2 sends it. Nearly all of it
 * repeats from request to request: what a header had last is kept as bytes.
 */
import type { Header } from '../../h2/header-table.ts';
import { encodeHeaders } from '../../h2/hpack-writer.ts';
import type { ApiHttpRequest } from './http-exchange.ts';

interface Encoded {
  readonly value: string | readonly string[];
  readonly bytes: Buffer;
}

/** Headers other than the usual ones are not kept. */
const MAX_KEPT = 16;

export class RequestHead {
  readonly #origin: Buffer;
  readonly #kept = new Map<string, Encoded>();

  /** Scheme, host and port of the server. */
  constructor(origin: string) {
    const { protocol, host } = new URL(origin);
    this.#origin = encodeHeaders([
      [':scheme', protocol.slice(0, -1)],
      [':authority', host],
    ]);
  }

  /** Throws when a header or the path has a character that HTTP does not allow; the message shows no value. */
  encode({ method, path, headers }: ApiHttpRequest): Buffer {
    const parts = [
      encodeHeaders([
        [':method', method],
        [':path', path],
      ]),
      this.#origin,
    ];
    for (const name in headers) parts.push(this.#part(name, headers[name] ?? ''));
    return Buffer.concat(parts);
  }

  #part(name: string, value: Encoded['value']): Buffer {
    const kept = this.#kept.get(name);
    if (kept?.value === value) return kept.bytes;
    const lower = name.toLowerCase();
    const values = typeof value === 'string' ? [value] : value;
    const bytes = encodeHeaders(values.map((one): Header => [lower, one]));
    if (kept !== undefined || this.#kept.size < MAX_KEPT) this.#kept.set(name, { value, bytes });
    return bytes;
  }
}
