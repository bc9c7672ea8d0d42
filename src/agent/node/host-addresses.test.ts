import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Emitter } from '../../base/emitter.ts';
import type { Node } from '../../core/api/node.ts';
import { followHostAddresses } from './host-addresses.ts';

it('followHostAddresses hears of other addresses, not of the same ones nor of a node that went', () => {
  const changes = new Emitter<[]>();
  let current: Node | undefined;
  let heard = 0;
  const own = {
    get current() {
      return current;
    },
    subscribe: (listener: () => void) => changes.subscribe(listener),
  };
  const subscription = followHostAddresses(own, () => heard++);
  const show = (...ips: string[]): number => {
    const addresses = ips.map((address) => ({ type: 'InternalIP', address }));
    current = ips.length === 0 ? undefined : ({ metadata: { name: 'n' }, status: { addresses } } as Node);
    changes.emit();
    return heard;
  };
  assert.equal(show(), 0);
  assert.equal(show('10.0.0.1'), 1);
  assert.equal(show('10.0.0.1'), 1);
  assert.equal(show(), 1);
  assert.equal(show('10.0.0.1'), 1);
  assert.equal(show('10.0.0.2'), 2);
  subscription[Symbol.dispose]();
  assert.equal(show('10.0.0.3'), 2);
});
