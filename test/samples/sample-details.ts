/** Details of a cgroup for tests: every number is there and different. */
import type { CgroupDetails } from '../../src/core/stats/cgroup-details.ts';

const psi = {
  some: { total: 4_000_000, avg10: 1, avg60: 2, avg300: 3 },
  full: { total: 5_000_000, avg10: 0, avg60: 0, avg300: 0 },
};

export const SAMPLE_DETAILS: CgroupDetails = {
  atMs: 1_700_000_000_123,
  cpu: {
    usageNs: 9e9,
    userNs: 4e9,
    systemNs: 5e9,
    periods: 6,
    throttledPeriods: 2,
    throttledNs: 7e9,
    burstPeriods: 1,
    burstNs: 3e9,
    psi,
  },
  memory: {
    usageBytes: 40,
    maxUsageBytes: 50,
    cacheBytes: 20,
    rssBytes: 10,
    kernelBytes: 3,
    mappedFileBytes: 4,
    swapBytes: 2,
    activeFileBytes: 5,
    inactiveFileBytes: 6,
    limitHits: 33,
    oomKills: 1,
    ownFaults: { all: 7, major: 8 },
    allFaults: { all: 70, major: 80 },
    psi,
  },
  limits: {
    cpu: { periodUs: 100_000, quotaUs: 50_000, shares: 102 },
    memory: { bytes: 4096, swapBytes: 8192, reservedBytes: 30 },
    tasks: { threads: 0, openFiles: 1024 },
  },
  io: {
    devices: [
      {
        device: '/dev/vda',
        major: 254,
        minor: 0,
        bytes: { Read: 11, Write: 12 },
        operations: { Read: 13, Write: 14 },
        cost: { usageUs: 1e6, waitUs: 2e6, indebtUs: 3e6, indelayUs: 4e6 },
      },
    ],
    psi,
  },
  tasks: { processes: 2, descriptors: 15, sockets: 16, threads: 9 },
};
