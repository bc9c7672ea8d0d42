import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOurLock, LOCK_UNIT, LOCK_UNIT_PATH, toInhibitors, toLockProperties } from './shutdown-lock.ts';
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
  it('starts systemd-inhibit with the words of the upstream kubelet', async () => {
    const properties = new Map(
      (await toLockProperties()) as [string, { signature: string; value: unknown }][],
    );
    const start = properties.get('ExecStart');
    assert.equal(start?.signature, 'a(sasb)');
    const program = '/usr/bin/systemd-inhibit';
    const argv = [
      program,
      ...['--what=shutdown', '--who=kubelet', '--why=Kubelet needs time to handle node shutdown'],
      ...['--mode=delay', 'sleep', 'infinity'],
    ];
    assert.deepEqual(start.value, [[program, argv, false]]);
  });
});

it('LOCK_UNIT_PATH is the name of the unit, escaped as systemd does it', () => {
  const escaped = LOCK_UNIT.replace(/[^A-Za-z0-9]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}`);
  assert.equal(LOCK_UNIT_PATH, `/org/freedesktop/systemd1/unit/${escaped}`);
});

it('findSystemBus takes the path of an address, else the usual one', () => {
  assert.equal(findSystemBus(undefined), '/run/dbus/system_bus_socket');
  assert.equal(findSystemBus('unix:path=/tmp/bus,guid=1f'), '/tmp/bus');
  assert.equal(findSystemBus('unixexec:path=/bin/sh'), '/run/dbus/system_bus_socket');
});
