/**
 * What the node asked of the API server, from the server's own audit log
 * (control-plane.sh has it record every call of the node).
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

export interface ApiRequest {
  readonly verb: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Of the object, or of the one a list or watch is narrowed down to. */
  readonly name: string;
  readonly status: number;
  readonly path: string;
}

interface AuditLine {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

export const WRITES: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** The requests from here on; ask again for more of them. */
export class AuditLog {
  readonly #path: string;
  #offset: number;

  constructor(hostDirectory: string) {
    this.#path = join(hostDirectory, 'run', 'cluster-audit.log');
    this.#offset = 0;
    this.read();
  }

  /** Since the last read. */
  read(): readonly ApiRequest[] {
    const file = openSync(this.#path, 'r');
    try {
      const { size } = fstatSync(file);
      const buffer = Buffer.alloc(size - this.#offset);
      readSync(file, buffer, 0, buffer.length, this.#offset);
      // The last line may still be written.
      const end = buffer.lastIndexOf('\n') + 1;
      this.#offset += end;
      return parseAuditLog(buffer.subarray(0, end).toString());
    } finally {
      closeSync(file);
    }
  }
}

/** A watch counts when it begins, all else when it is answered. */
export function parseAuditLog(text: string): readonly ApiRequest[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const { stage, verb, requestURI, objectRef, responseStatus } = JSON.parse(line) as AuditLine;
    if (stage !== (verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete')) return [];
    const selector = new URL(requestURI, 'http://api').searchParams.get('fieldSelector') ?? '';
    return [
      {
        verb,
        resource: objectRef?.resource ?? '',
        subresource: objectRef?.subresource ?? '',
        namespace: objectRef?.namespace ?? '',
        name: objectRef?.name ?? selector,
        status: responseStatus?.code ?? 0,
        path: requestURI,
      },
    ];
  });
}

/** How many requests there were of each kind, as text; `keyOf` names the kind. */
export function countBy(
  requests: readonly ApiRequest[],
  keyOf: (request: ApiRequest) => string,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const request of requests) counts[keyOf(request)] = (counts[keyOf(request)] ?? 0) + 1;
  return counts;
}
