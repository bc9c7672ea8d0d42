import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  findNumber,
  parseBootTime,
  parseLimit,
  parseMemoryTotals,
  parseNetDev,
  parseNumber,
  parseOwnCgroup,
  parsePressure,
  parseTasks,
} from './parse-stats.ts';

const NET_DEV = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 4873199411 4599664    0    0    0     0          0         0 4873199411 4599664    0    0    0     0       0          0
  eth0:     700      10    1    2    0     0          0         0      800      20    3    0    0     0       0          0
`;

describe('findNumber', () => {
  const text = 'cache 1\nrss 22\ntotal_cache 333\nrss_huge 4\n\nodd\nlast 5';
  for (const [key, value] of [
    ['cache', 1],
    ['rss', 22],
    ['total_cache', 333],
    ['last', 5],
    ['ca', 0],
    ['none', 0],
    ['odd', 0],
  ] as const)
    it(`finds ${key}`, () => assert.equal(findNumber(text, key), value));
});

describe('parseNumber', () => {
  for (const [text, expected] of [
    ['12\n', 12],
    ['max\n', undefined],
    ['-1', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const)
    it(`reads ${JSON.stringify(text)} as ${expected}`, () => assert.equal(parseNumber(text), expected));
});

describe('parseLimit', () => {
  for (const [text, expected] of [
    ['1048576\n', 1048576],
    ['max\n', undefined],
    ['9223372036854771712\n', undefined],
  ] as const)
    it(`reads ${JSON.stringify(text)} as ${expected}`, () => assert.equal(parseLimit(text), expected));
});

describe('parsePressure', () => {
  const some = 'some avg10=1.50 avg60=0.25 avg300=0.05 total=123\n';
  const none = { total: 0, avg10: 0, avg60: 0, avg300: 0 };

  it('reads both lines, totals in microseconds', () => {
    const read = parsePressure(`${some}full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n`);
    assert.deepEqual(read?.some, { total: 123, avg10: 1.5, avg60: 0.25, avg300: 0.05 });
    assert.deepEqual(read?.full, { ...none, total: 7 });
  });

  it('does without the line that older kernels do not have', () => {
    assert.deepEqual(parsePressure(some)?.full, none);
  });

  for (const text of ['', undefined, 'Operation not supported'])
    it(`is nothing for ${JSON.stringify(text)}`, () => assert.equal(parsePressure(text), undefined));
});

describe('parseNetDev', () => {
  it('reads bytes and errors of every interface', () => {
    assert.deepEqual(parseNetDev(NET_DEV)[1], {
      name: 'eth0',
      rxBytes: 700,
      rxErrors: 1,
      txBytes: 800,
      txErrors: 3,
    });
    assert.equal(parseNetDev(NET_DEV).length, 2);
    assert.deepEqual(parseNetDev('eth0: x y\n'), []);
  });
});

describe('parseOwnCgroup', () => {
  for (const [version, text, expected] of [
    [2, '0::/system.slice/kubelet.service\n', '/system.slice/kubelet.service'],
    [2, '', undefined],
    [1, '4:memory:/kubelet\n3:cpu,cpuacct:/kubelet\n0::/\n', '/kubelet'],
    [1, '4:memory:/a\n3:cpu:/b\n', undefined],
    [1, '4:memory:/a\n3:cpuset:/a\n', undefined],
  ] as const)
    it(`finds ${expected} for version ${version} in ${JSON.stringify(text)}`, () =>
      assert.equal(parseOwnCgroup(text, version), expected));
});

describe('the texts of /proc', () => {
  it('hold tasks, boot time and totals', () => {
    assert.equal(parseTasks('0.50 0.40 0.30 2/345 6789\n'), 345);
    assert.equal(parseTasks('odd'), undefined);
    assert.equal(parseBootTime('cpu 1 2\nbtime 1700000000\nprocesses 5\n'), 1700000000000);
    assert.equal(parseBootTime(''), undefined);
    const totals = parseMemoryTotals('MemTotal:  100 kB\nSwapTotal:  20 kB\nSwapFree:  5 kB\n');
    assert.deepEqual(totals, { memoryBytes: 102400, swapBytes: 20480, swapFreeBytes: 5120 });
  });
});
