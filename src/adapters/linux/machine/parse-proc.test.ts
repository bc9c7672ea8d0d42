import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  parseCpuList,
  parseDefaultRoutes,
  parseDefaultRoutes6,
  parseHugepageSizes,
  parseMeminfo,
  parsePageSize,
  parseUnifiedCgroup,
} from './parse-proc.ts';

describe('parseMeminfo', () => {
  it('reads memory and swap in bytes', () => {
    const text = 'MemTotal:       24684112 kB\nMemFree: 1 kB\nSwapCached: 9 kB\nSwapTotal:       1024 kB\n';
    assert.deepEqual(parseMeminfo(text), { memoryBytes: 24684112 * 1024, swapBytes: 1024 * 1024 });
  });

  it('takes missing lines for 0', () => {
    assert.deepEqual(parseMeminfo(''), { memoryBytes: 0, swapBytes: 0 });
  });
});

describe('parseCpuList', () => {
  const cases: readonly (readonly [string, readonly number[]])[] = [
    ['0\n', [0]],
    ['0-3', [0, 1, 2, 3]],
    ['0-1,4,6-7\n', [0, 1, 4, 6, 7]],
    ['', []],
    ['3-1', []],
    ['x,2', [2]],
  ];
  for (const [text, cpus] of cases)
    it(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(parseCpuList(text), cpus));
});

describe('parseHugepageSizes', () => {
  it('reads sizes in bytes, smallest first, and leaves other names out', () => {
    assert.deepEqual(
      parseHugepageSizes(['hugepages-1048576kB', 'hugepages-2048kB', 'other', 'hugepages-xkB']),
      [2 * 1024 ** 2, 1024 ** 3],
    );
  });
});

describe('parsePageSize', () => {
  const auxv = (...pairs: readonly (readonly [number, number])[]): Uint8Array =>
    new Uint8Array(new BigUint64Array(pairs.flat().map(BigInt)).buffer);

  it('finds the page size among the other entries', () => {
    assert.equal(parsePageSize(auxv([33, 6], [6, 65536], [17, 100], [0, 0])), 65536);
  });

  it('is undefined when it is missing or truncated', () => {
    assert.equal(parsePageSize(auxv([33, 6], [0, 0])), undefined);
    assert.equal(parsePageSize(auxv([6, 4096]).subarray(0, 12)), undefined);
  });
});

describe('parseUnifiedCgroup', () => {
  it('finds the version 2 entry beside version 1 ones', () => {
    assert.equal(
      parseUnifiedCgroup('8:pids:/\n0::/system.slice/kubelet.service\n'),
      '/system.slice/kubelet.service',
    );
    assert.equal(parseUnifiedCgroup('8:pids:/a\n10::x\n'), undefined);
  });
});

describe('parseDefaultRoutes', () => {
  it('takes routes to everywhere that are up', () => {
    const text = [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
      'kts0\t0000BF0A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
      'down0\t00000000\t010200C0\t0002\t0\t0\t0\t00000000\t0\t0\t0',
      'half0\t00000000\t010200C0\t0003\t0\t0\t0\t00000080\t0\t0\t0',
      'eth1\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0   ',
      'eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
      '',
    ].join('\n');
    assert.deepEqual(parseDefaultRoutes(text), ['eth1', 'eth0']);
  });
});

describe('parseDefaultRoutes6', () => {
  const line = (destination: string, length: string, flags: string, device: string): string =>
    `${destination} ${length} ${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00000400 00000001 00000000 ${flags} ${device}`;
  const any = '0'.repeat(32);

  it('leaves out longer prefixes, rejecting routes and the loopback', () => {
    const text = [
      line('fd000000000000000000000000000000', '40', '00000001', 'eth0'),
      line(any, '00', '00200200', 'lo'),
      line(any, '00', '00000203', 'dead0'),
      line(any, '60', '00000003', 'long0'),
      line(any, '00', '00000003', '   eth1'),
      '',
    ].join('\n');
    assert.deepEqual(parseDefaultRoutes6(text), ['eth1']);
  });
});
