/** The identity of a span, and its text in the header `traceparent` (W3C Trace Context, version 00). Pure. */

export interface TraceContext {
  /** 16 bytes. */
  readonly traceId: Buffer;
  /** 8 bytes. */
  readonly spanId: Buffer;
  readonly isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Undefined for what is none; a caller may send anything. */
export function parseTraceparent(text: string): TraceContext | undefined {
  // A header of a later version may be longer, and begins the same.
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(text.slice(0, 256)) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return {
    traceId: Buffer.from(traceId, 'hex'),
    spanId: Buffer.from(spanId, 'hex'),
    isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0,
  };
}

export function renderTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId.toString('hex')}-${spanId.toString('hex')}-${isSampled ? '01' : '00'}`;
}

const HALF = 2 ** 63;

/** Whether a new trace is among the chosen ones: by its id, so that everyone chooses the same. */
export function isTraceSampled(traceId: Buffer, ratePerMillion: number): boolean {
  if (ratePerMillion >= 1_000_000) return true;
  return traceId.readBigUInt64BE(8) >> 1n < BigInt(Math.floor((ratePerMillion / 1_000_000) * HALF));
}
