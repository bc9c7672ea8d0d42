import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findOddMountOption } from './mount-options.ts';

describe('findOddMountOption', () => {
  const passed: readonly (readonly string[])[] = [
    [],
    ['hard', 'nfsvers=4.1', 'nconnect=8', 'rsize=1048576,wsize=1048576'],
    ['noatime', 'discard', 'ro', 'nodev', 'nosuid', 'data=ordered', 'uid=1000', 'gid=1000'],
    ['context="system_u:object_r:container_file_t:s0:c1,c2"', 'noatime'],
    ['username=u', 'user=u', '', 'ro,', 'sec=krb5p', '_netdev', 'x-systemd.automount'],
  ];
  for (const options of passed)
    it(`passes on ${options.join(' ')}`, () => assert.equal(findOddMountOption(options), undefined));

  const refused: readonly (readonly [options: readonly string[], odd: string])[] = [
    [['bind'], 'bind'],
    [['ro', 'rbind'], 'rbind'],
    [['ro,remount'], 'remount'],
    [['hard,Move'], 'Move'],
    [['noatime', 'loop=/dev/loop7'], 'loop=/dev/loop7'],
    [['context="a,b",private'], 'private'],
    [['X-mount.subdir=../..'], 'X-mount.subdir=../..'],
    [['uhelper=/tmp/x'], 'uhelper=/tmp/x'],
    [['ro,,bind'], 'bind'],
    [['a"b,bind'], 'bind'],
    [[' bind'], ' bind'],
  ];
  for (const [options, odd] of refused)
    it(`refuses ${JSON.stringify(options)}`, () => assert.equal(findOddMountOption(options), odd));
});
