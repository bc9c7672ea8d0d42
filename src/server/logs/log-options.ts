/**
 * The query of a log request (PodLogOptions), decoded and checked as the API
 * does it: what cannot be decoded is a 400, what is invalid a 422.
 */
import type { LogQuery, LogStream } from '../../ports/runtime/container-logs.ts';

export interface LogOptions extends LogQuery {
  /** The instance before the current one. */
  readonly previous: boolean;
}

export type ParsedLogOptions =
  | { readonly kind: 'options'; readonly options: LogOptions }
  | { readonly kind: 'undecodable' }
  | { readonly kind: 'invalid' };

const STREAMS: readonly string[] = ['All', 'Stdout', 'Stderr'];
const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

export function parseLogOptions(query: URLSearchParams, nowMs: number): ParsedLogOptions {
  const legacyTail = query.get('tail');
  const tailText = !legacyTail ? query.get('tailLines') : legacyTail === 'all' ? null : legacyTail;
  const tailLines = parseWhole(tailText);
  const limitBytes = parseWhole(query.get('limitBytes'));
  const sinceSeconds = parseWhole(query.get('sinceSeconds'));
  const sinceTimeMs = parseTime(query.get('sinceTime'));
  if ([tailLines, limitBytes, sinceSeconds, sinceTimeMs].some((value) => Number.isNaN(value)))
    return { kind: 'undecodable' };
  const stream = query.get('stream') ?? 'All';
  const invalid =
    (tailLines ?? 0) < 0 ||
    (limitBytes ?? 1) < 1 ||
    (sinceSeconds ?? 1) < 1 ||
    (sinceSeconds !== undefined && sinceTimeMs !== undefined) ||
    !STREAMS.includes(stream) ||
    (stream !== 'All' && tailLines !== undefined);
  if (invalid) return { kind: 'invalid' };
  const sinceMs = sinceSeconds === undefined ? sinceTimeMs : nowMs - sinceSeconds * 1000;
  return {
    kind: 'options',
    options: {
      follow: parseFlag(query, 'follow'),
      previous: parseFlag(query, 'previous'),
      timestamps: parseFlag(query, 'timestamps'),
      stream: stream as LogStream,
      ...(tailLines === undefined ? {} : { tailLines }),
      ...(sinceMs === undefined ? {} : { sinceMs }),
      ...(limitBytes === undefined ? {} : { limitBytes }),
    },
  };
}

/** Present means true unless it says `false` or `0`. */
function parseFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** Undefined when absent, NaN when it is no whole number of 64 bits. */
function parseWhole(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) return Number.NaN;
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? Number(value) : Number.NaN;
}

function parseTime(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  return RFC3339.test(text) ? Date.parse(text) : Number.NaN;
}
