/** Notices that the node object shows other host addresses: pods on the host network have them in their status. */
import { toHostIps } from '../../core/node-status/node-addresses.ts';
import type { OwnNode } from './own-node.ts';

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
