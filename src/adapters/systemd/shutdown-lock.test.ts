import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOurLock, toInhibitors, toLockProperties } from './shutdown-lock.ts';
import { findSystemBus } from './system-bus.ts';

describe('toInhibitors', () => {
  it('reads locks, and leaves out what is none', () => {
    const lock = ['shutdown:sleep', 'kubelet', 'why', 'delay', 0, 42];
    assert.deepEqual(toInhibitors([lock, [], 'x', ['a', 'b', 'c', 'd', 0, '7']]), [
      { what: 'shutdown:sleep', who: 'kubelet', mode: 'delay', pid: 42 },
    ]);
    assert.deepEqual(toInhibitors(undefined), []);
  });
});

describe('isOurLock', () => {
  const ours = { what: 'sleep:shutdown', who: 'kubelet', mode: 'delay', pid: 1 };
  it('needs the thing, the holder and the mode', () => {
    assert.equal(isOurLock(ours), true);
    assert.equal(isOurLock({ ...ours, what: 'handle-shutdown' }), false);
    assert.equal(isOurLock({ ...ours, who: 'someone' }), false);
    assert.equal(isOurLock({ ...ours, mode: 'block' }), false);
  });
});

describe('toLockProperties', () => {
  it('starts systemd-inhibit with the words of the upstream kubelet', () => {
    const properties = new Map(toLockProperties() as [string, [type: string, value: unknown]][]);
    const [type, value] = properties.get('ExecStart') ?? [];
    assert.equal(type, 'a(sasb)');
    const program = '/usr/bin/systemd-inhibit';
    const argv = [
      program,
      ...['--what=shutdown', '--who=kubelet', '--why=Kubelet needs time to handle node shutdown'],
      ...['--mode=delay', 'sleep', 'infinity'],
    ];
    assert.deepEqual(value, [[program, argv, false]]);
  });
});

it('findSystemBus takes the path of an address, else the usual one', () => {
  assert.equal(findSystemBus(undefined), '/run/dbus/system_bus_socket');
  assert.equal(findSystemBus('unix:path=/tmp/bus,guid=1f'), '/tmp/bus');
  assert.equal(findSystemBus('unixexec:path=/bin/sh'), '/run/dbus/system_bus_socket');
});
