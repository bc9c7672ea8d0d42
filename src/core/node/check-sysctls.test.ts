import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { AdmissionFacts } from './admission-facts.ts';
import { checkSysctls } from './check-sysctls.ts';

function isRefused(
  name: string,
  kernelVersion: string,
  allowedUnsafeSysctls: readonly string[] = [],
  host: { hostIPC?: boolean; hostNetwork?: boolean } = {},
): string | undefined {
  const pod = samplePod({ securityContext: { sysctls: [{ name, value: '1' }] }, ...host });
  return checkSysctls(pod, { kernelVersion, allowedUnsafeSysctls } as unknown as AdmissionFacts)?.message;
}

describe('checkSysctls', () => {
  const safe: readonly [name: string, since: string, before: string | undefined][] = [
    ['kernel.shm_rmid_forced', 'unknown', undefined],
    ['net.ipv4.ip_local_port_range', 'unknown', undefined],
    ['net.ipv4.tcp_syncookies', 'unknown', undefined],
    ['net.ipv4.ping_group_range', 'unknown', undefined],
    ['net.ipv4.ip_unprivileged_port_start', 'unknown', undefined],
    ['net.ipv4.ip_local_reserved_ports', '3.16.0', '3.15.9'],
    ['net.ipv4.tcp_keepalive_time', '4.5', '4.4'],
    ['net.ipv4.tcp_keepalive_intvl', '4.5', '4.4'],
    ['net.ipv4.tcp_keepalive_probes', '4.5', '4.4'],
    ['net.ipv4.tcp_fin_timeout', '4.6', '4.5'],
    ['net.ipv4.tcp_rmem', '4.15.0-generic', '4.14.99'],
    ['net.ipv4.tcp_wmem', '4.15.0-generic', '4.14.99'],
  ];
  for (const [name, since, before] of safe)
    it(`treats ${name} as safe from ${since} on`, () => {
      assert.equal(isRefused(name, since), undefined);
      assert.equal(isRefused(name.replaceAll('.', '/'), '6.1'), undefined);
      if (before !== undefined)
        assert.equal(isRefused(name, before), `forbidden sysctl: "${name}" not allowlisted`);
    });

  it('accepts what is allowed in addition, by name or prefix', () => {
    assert.equal(isRefused('kernel.msgmax', '6.1', ['kernel.msg*']), undefined);
    assert.equal(isRefused('kernel.msg', '6.1', ['kernel.msg*']), undefined);
    assert.notEqual(isRefused('kernel.ms', '6.1', ['kernel.msg*']), undefined);
    assert.notEqual(isRefused('kernel.msgmax', '6.1', ['kernel.msg']), undefined);
    assert.equal(isRefused('net.core.somaxconn', '6.1', ['net/core/somaxconn']), undefined);
  });

  it('accepts none that would affect the host', () => {
    for (const name of ['kernel.shmmax', 'kernel.msgmax', 'fs.mqueue.queues_max', 'kernel.sem'])
      assert.equal(
        isRefused(name, '6.1', [name], { hostIPC: true, hostNetwork: true }),
        `forbidden sysctl: "${name}" not allowed with host IPC enabled`,
      );
    assert.equal(
      isRefused('net.ipv4.tcp_syncookies', '6.1', [], { hostIPC: true, hostNetwork: true }),
      'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
    );
    assert.equal(isRefused('net.ipv4.tcp_syncookies', '6.1', [], { hostIPC: true }), undefined);
    assert.equal(isRefused('kernel.sem', '6.1', ['kernel.sem'], { hostNetwork: true }), undefined);
  });
});
