/**
 * Counts what is open, in all and by peer. A peer is an IPv4 address or an
 * IPv6 network of 64 bits: a host with one address of such a network can use
 * all of them.
 */
import { isIPv6 } from 'node:net';
import { canonicalIp } from '../../core/status/pod-addresses.ts';

export class PeerCounts {
  readonly #maxTotal: number;
  readonly #maxPeer: number;
  #total = 0;
  /** Never a zero: peers that have gone leave nothing behind. */
  readonly #byPeer = new Map<string, number>();

  constructor(maxTotal: number, maxPeer: number) {
    this.#maxTotal = maxTotal;
    this.#maxPeer = maxPeer;
  }

  get total(): number {
    return this.#total;
  }

  /** Undefined when there is no room for one more of this peer; else gives its place back, once. */
  take(peer: string): (() => void) | undefined {
    const held = this.#byPeer.get(peer) ?? 0;
    if (this.#total >= this.#maxTotal || held >= this.#maxPeer) return undefined;
    this.#total++;
    this.#byPeer.set(peer, held + 1);
    let open = true;
    return () => {
      if (open) this.#release(peer);
      open = false;
    };
  }

  #release(peer: string): void {
    this.#total--;
    const left = (this.#byPeer.get(peer) ?? 0) - 1;
    if (left > 0) this.#byPeer.set(peer, left);
    else this.#byPeer.delete(peer);
  }
}

/** Of the address of a socket, which may have gone. */
export function toPeer(address: string | undefined): string {
  const [plain = ''] = (address ?? '').split('%');
  const ip = canonicalIp(plain) ?? '';
  if (!isIPv6(ip)) return ip;
  const [before = '', after = ''] = ip.split('::');
  const left = before === '' ? [] : before.split(':');
  if (!ip.includes('::') || left.length >= 4) return left.slice(0, 4).join(':');
  const right = after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
