/**
 * The addresses of the host as pods on its network have them: those of
 * the node object, which is what the cluster knows.
 */
import type { Node } from '../../core/api/node.ts';
import { toHostIps } from '../../core/node-status/node-addresses.ts';
import type { OwnNode } from './own-node.ts';

/** Until the node object says something, those `found` at the start. */
export function chooseHostIps(node: Node | undefined, found: () => readonly string[]): readonly string[] {
  const ips = node === undefined ? [] : toHostIps(node);
  return ips.length > 0 ? ips : found();
}

/** Calls `onChange` when they are others; a node that is not known changes nothing. Dispose the result to stop. */
export function followHostAddresses(
  own: Pick<OwnNode, 'current' | 'subscribe'>,
  onChange: () => void,
): Disposable {
  let known = '';
  return own.subscribe(() => {
    const now = own.current === undefined ? known : toHostIps(own.current).join();
    const isNews = now !== known;
    known = now;
    if (isNews) onChange();
  });
}
