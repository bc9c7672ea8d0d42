import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  hasDevice,
  parseBlkio,
  parseDiskstats,
  parseInterfaces,
  parseIoStat,
  parseMaxOpenFiles,
} from './parse-details.ts';

const NAMES = new Map([['254:0', '/dev/vda']]);

describe('parseIoStat', () => {
  it('reads bytes, operations and costs of each device, and passes over what it does not know', () => {
    const text =
      '254:0 rbytes=10 wbytes=20 rios=1 wios=2 dbytes=3 dios=4 cost.usage=7 cost.wait=8 cost.indebt=9 cost.indelay=6\n8:16 rbytes=5\nnonsense\n';
    assert.deepEqual(parseIoStat(text, NAMES), [
      {
        device: '/dev/vda',
        major: 254,
        minor: 0,
        bytes: { Read: 10, Write: 20 },
        operations: { Read: 1, Write: 2 },
        cost: { usageUs: 7, waitUs: 8, indebtUs: 9, indelayUs: 6 },
      },
      { device: '', major: 8, minor: 16, bytes: { Read: 5 }, operations: {}, cost: undefined },
    ]);
  });

  it('has no keys of objects', () => {
    assert.deepEqual(parseIoStat('254:0 constructor=1 __proto__=2\n', NAMES), []);
  });
});

describe('hasDevice', () => {
  it('is false for a total alone', () => {
    assert.deepEqual(['254:0 Read 1\nTotal 1\n', 'Total 0\n', ''].map(hasDevice), [true, false, false]);
  });
});

describe('parseBlkio', () => {
  it('reads both files of version 1 without the totals at their ends', () => {
    const found = parseBlkio(
      '254:0 Read 10\n254:0 Write 0\n254:0 Total 10\nTotal 10\n',
      '254:0 Read 1\n',
      NAMES,
    );
    assert.deepEqual(found, [
      {
        device: '/dev/vda',
        major: 254,
        minor: 0,
        bytes: { Read: 10, Write: 0, Total: 10 },
        operations: { Read: 1 },
        cost: undefined,
      },
    ]);
  });
});

describe('parseDiskstats', () => {
  it('reads names and what each disk did', () => {
    const { names, disks } = parseDiskstats(
      ' 254       0 vda 1 2 3 4 5 6 7 8 9 10 11 0 0 0 0 0 0\n   7       0 loop0\n',
    );
    assert.deepEqual([...names], [['254:0', '/dev/vda']]);
    assert.deepEqual(disks.get('254:0'), {
      reads: { completed: 1, merged: 2, sectors: 3, ms: 4 },
      writes: { completed: 5, merged: 6, sectors: 7, ms: 8 },
      inProgress: 9,
      busyMs: 10,
      weightedMs: 11,
    });
  });
});

describe('parseInterfaces', () => {
  it('reads traffic in both directions', () => {
    const text =
      'Inter-|   Receive\n face |bytes\n  eth0: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n bad: 1 2\n lo:9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\n';
    assert.deepEqual(parseInterfaces(text)[0], {
      name: 'eth0',
      received: { bytes: 1, packets: 2, errors: 3, dropped: 4 },
      sent: { bytes: 5, packets: 6, errors: 7, dropped: 8 },
    });
    assert.equal(parseInterfaces(text).length, 2);
  });
});

describe('parseMaxOpenFiles', () => {
  it('reads the soft limit', () => {
    assert.equal(
      parseMaxOpenFiles('Max processes 1 2\nMax open files            1024     4096   files\n'),
      1024,
    );
    assert.equal(parseMaxOpenFiles('Max open files            unlimited unlimited files\n'), -1);
    assert.equal(parseMaxOpenFiles(''), undefined);
  });
});
