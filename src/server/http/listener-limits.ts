/**
 * The limits of a listener: in total, for one peer, and for callers that are
 * not authenticated yet. One peer never gets all of anything, so that a flood
 * from one address does not lock out the API server.
 */

export interface ListenerLimits {
  /** Of a caller that is not authenticated yet: any host on the network. */
  readonly maxHeaderBytes: number;
  /** Of a caller whose certificate the handshake has verified: a command to execute is part of the target. */
  readonly maxKnownHeaderBytes: number;
  readonly maxBodyBytes: number;
  /** From the first byte of a request to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** The same to the end of its body. */
  readonly requestTimeoutMs: number;
  /** An open connection without a request. */
  readonly idleTimeoutMs: number;
  /** The longest a reply may take; Infinity for as long as it lasts. */
  readonly replyTimeoutMs: number;
  /** How long requests under way may take to end when the listener stops. */
  readonly stopGraceMs: number;
  readonly maxConnections: number;
  readonly maxPeerConnections: number;
  readonly maxRequests: number;
  readonly maxPeerRequests: number;
  /** Requests of one peer that the guard has not admitted yet. */
  readonly maxPeerUnknown: number;
  /** Upgraded connections among the requests. */
  readonly maxStreams: number;
  readonly maxPeerStreams: number;
}

export const LISTENER_LIMITS: ListenerLimits = {
  maxHeaderBytes: 64 * 1024,
  maxKnownHeaderBytes: 1024 * 1024,
  maxBodyBytes: 64 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 300_000,
  idleTimeoutMs: 90_000,
  replyTimeoutMs: 4 * 3600_000,
  stopGraceMs: 2_000,
  maxConnections: 2_000,
  maxPeerConnections: 500,
  maxRequests: 1_000,
  maxPeerRequests: 400,
  maxPeerUnknown: 100,
  maxStreams: 500,
  maxPeerStreams: 250,
};
