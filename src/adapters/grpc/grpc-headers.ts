/** The headers of a gRPC request as HTTP/2 sends them. */
import type { Header } from '../h2/header-table.ts';
import { encodeHeaders } from '../h2/hpack-writer.ts';

/** Of requests without headers of their own: there are as many as methods. */
const heads = new Map<string, Buffer>();

export interface HeadedRequest {
  readonly path: string;
  readonly timeoutMs?: number | undefined;
  /** Sent instead of or beside the usual ones. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function toHeaderBlock({ path, timeoutMs, headers }: HeadedRequest): Buffer {
  const head = headers === undefined ? usualHead(path) : encodeHeaders(toHeaders(path, headers));
  if (timeoutMs === undefined) return head;
  return Buffer.concat([head, encodeHeaders([['grpc-timeout', toGrpcTimeout(timeoutMs)]])]);
}

function usualHead(path: string): Buffer {
  const known = heads.get(path);
  if (known !== undefined) return known;
  const head = encodeHeaders(toHeaders(path, {}));
  heads.set(path, head);
  return head;
}

function toHeaders(path: string, more: Readonly<Record<string, string>>): Iterable<Header> {
  const headers = {
    ':method': 'POST',
    ':scheme': 'http',
    ':authority': 'localhost',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'user-agent': 'kubelet-ts',
    ...more,
  };
  return Object.entries(headers);
}

/** A timeout as the header wants it: at most eight digits and a unit. */
function toGrpcTimeout(timeoutMs: number): string {
  const ms = Math.max(1, Math.ceil(timeoutMs));
  return ms < 1e8 ? `${ms}m` : `${Math.min(Math.ceil(ms / 1000), 99_999_999)}S`;
}
