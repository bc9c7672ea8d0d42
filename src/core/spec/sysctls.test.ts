import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pod.ts';
import { normalizeSysctlName, toSysctls } from './sysctls.ts';

const cases: [input: string, output: string][] = [
  ['kernel.shm_rmid_forced', 'kernel.shm_rmid_forced'],
  ['kernel/shm_rmid_forced', 'kernel.shm_rmid_forced'],
  ['net.ipv4.conf.eno2/100.rp_filter', 'net.ipv4.conf.eno2/100.rp_filter'],
  ['net/ipv4/conf/eno2.100/rp_filter', 'net.ipv4.conf.eno2/100.rp_filter'],
  ['plain', 'plain'],
];

describe('normalizeSysctlName', () => {
  for (const [input, output] of cases) {
    it(`${input} becomes ${output}`, () => assert.equal(normalizeSysctlName(input), output));
  }
});

describe('toSysctls', () => {
  it('copies all by their normalised names', () => {
    const sysctls = [
      { name: 'net/ipv4/tcp_syncookies', value: '1' },
      { name: 'kernel.shmmax', value: '9' },
    ];
    assert.deepEqual(toSysctls(samplePod({ securityContext: { sysctls } })), {
      'net.ipv4.tcp_syncookies': '1',
      'kernel.shmmax': '9',
    });
    assert.deepEqual(toSysctls(samplePod()), {});
  });
});
