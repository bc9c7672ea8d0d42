import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Emitter } from '../../base/async/emitter.ts';
import type { Node } from '../../core/api/node.ts';
import { chooseHostIps, followHostAddresses } from './host-addresses.ts';

it('followHostAddresses calls back for changed addresses, not for equal ones nor for a deleted node', () => {
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

it('chooseHostIps takes those of the node object, else those that were found', () => {
  const found = () => ['192.0.2.1'];
  const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
  assert.deepEqual(chooseHostIps(undefined, found), ['192.0.2.1']);
  assert.deepEqual(chooseHostIps({ metadata: { name: 'n' } } as Node, found), ['192.0.2.1']);
  assert.deepEqual(chooseHostIps({ metadata: { name: 'n' }, status: { addresses } } as Node, found), [
    '10.0.0.1',
  ]);
});
