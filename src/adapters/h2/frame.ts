/** Frames of HTTP/2 (RFC 9113): their kinds, flags and error codes, and how they are written. */

export const FRAME_HEAD_BYTES = 9;
/** What both sides may send as long as neither asks for more. */
export const MAX_FRAME_BYTES = 16_384;
export const DEFAULT_WINDOW_BYTES = 65_535;
export const MAX_WINDOW_BYTES = 2 ** 31 - 1;

export const FrameType = {
  DATA: 0,
  HEADERS: 1,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const Flag = { END_STREAM: 1, ACK: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 32 } as const;

export const Setting = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

export const H2Code = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  FLOW_CONTROL_ERROR: 3,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
  /** With padding: what counts for flow control. */
  readonly length: number;
}

/** The connection is lost by what the peer has sent. */
export class H2Error extends Error {
  override readonly name = 'H2Error';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Writes the head of a frame; returns where its payload begins. */
export function writeFrameHead(
  bytes: Buffer,
  at: number,
  { length, type, flags, stream }: { length: number; type: number; flags: number; stream: number },
): number {
  bytes.writeUIntBE(length, at, 3);
  bytes[at + 3] = type;
  bytes[at + 4] = flags;
  bytes.writeUInt32BE(stream, at + 5);
  return at + FRAME_HEAD_BYTES;
}

export function toFrame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD_BYTES + payload.byteLength);
  bytes.set(payload, writeFrameHead(bytes, 0, { length: payload.byteLength, type, flags, stream }));
  return bytes;
}

/** The headers of a request, in as many frames as they need. */
export function toHeaderFrames(stream: number, block: Buffer, flags: number): Buffer {
  if (block.length <= MAX_FRAME_BYTES)
    return toFrame(FrameType.HEADERS, flags | Flag.END_HEADERS, stream, block);
  const frames = [toFrame(FrameType.HEADERS, flags, stream, block.subarray(0, MAX_FRAME_BYTES))];
  for (let at = MAX_FRAME_BYTES; at < block.length; at += MAX_FRAME_BYTES) {
    const part = block.subarray(at, at + MAX_FRAME_BYTES);
    const isLast = at + part.length === block.length;
    frames.push(toFrame(FrameType.CONTINUATION, isLast ? Flag.END_HEADERS : 0, stream, part));
  }
  return Buffer.concat(frames);
}

/** A frame whose payload is one number. */
export function toNumberFrame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD_BYTES + 4);
  bytes.writeUInt32BE(value, writeFrameHead(bytes, 0, { length: 4, type, flags: 0, stream }));
  return bytes;
}

export function toSettingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * settings.length);
  for (const [index, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return toFrame(FrameType.SETTINGS, 0, 0, payload);
}

/** The end of a connection that no request of the peer's was taken on. */
export function toGoAwayFrame(code: number): Buffer {
  const detail = Buffer.alloc(8);
  detail.writeUInt32BE(code, 4);
  return toFrame(FrameType.GOAWAY, 0, 0, detail);
}

/** The number that is all of a frame. Throws H2Error. */
export function readNumber({ payload }: Frame): number {
  if (payload.length !== 4) throw wrongSize();
  return payload.readUInt32BE(0);
}

export function wrongSize(): H2Error {
  return new H2Error(H2Code.FRAME_SIZE_ERROR, 'a frame has a wrong size');
}

/** The payload without padding and, of headers, without a priority. Throws H2Error. */
export function stripPayload({ type, flags, payload }: Frame): Buffer {
  let from = 0;
  let end = payload.length;
  if ((flags & Flag.PADDED) !== 0) {
    end -= payload[0] ?? 0;
    from = 1;
  }
  if (type === FrameType.HEADERS && (flags & Flag.PRIORITY) !== 0) from += 5;
  if (from > end) throw new H2Error(H2Code.PROTOCOL_ERROR, 'a frame is padded with more than it holds');
  return payload.subarray(from, end);
}
