import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { JsonObject } from '../config/json-value.ts';
import { type LoadedConfiguration, loadConfiguration } from '../config/load/load-configuration.ts';
import { toNodeSettings } from './node-settings.ts';

const FILE = '/etc/k.yaml';

function load(config: JsonObject, ...flags: string[]): LoadedConfiguration {
  const document = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    ...config,
  };
  const outcome = loadConfiguration([`--config=${FILE}`, ...flags], {
    cwd: '/',
    cgroupVersion: 2,
    readFile: () => JSON.stringify(document),
    readDir: () => [],
  });
  assert.equal(outcome.kind, 'loaded', outcome.kind === 'rejected' ? outcome.message : '');
  return outcome as LoadedConfiguration;
}

const settings = (config: JsonObject = {}, ...flags: string[]) =>
  toNodeSettings(load(config, ...flags), 'systemd', 2, () => []);

describe('toNodeSettings', () => {
  it('takes the name of the host unless another is configured, in small letters', () => {
    assert.equal(settings().nodeName, hostname().trim().toLowerCase());
    assert.equal(settings({}, '--hostname-override=Node-1').nodeName, 'node-1');
    assert.throws(
      () => settings({}, '--hostname-override= '),
      /^AgentError: cannot name the node: empty hostname/,
    );
  });

  it('makes the root directory absolute', () => {
    assert.equal(settings({}, '--root-dir=state/').rootDir, join(process.cwd(), 'state'));
  });

  it('carries over what the configuration says', () => {
    const configured = settings(
      {
        clusterDomain: 'cluster.local',
        clusterDNS: ['10.96.0.10'],
        cpuCFSQuotaPeriod: '50ms',
        podPidsLimit: 100,
        kubeReserved: { cpu: '100m' },
        memorySwap: { swapBehavior: 'LimitedSwap' },
      },
      '--node-ip=192.0.2.7',
      '--root-dir=/var/lib/other',
    );
    assert.deepEqual(configured.clusterDns, ['10.96.0.10']);
    assert.deepEqual(configured.requestedNodeIps, ['192.0.2.7']);
    assert.deepEqual(configured.kubeReserved, { cpu: '100m' });
    assert.deepEqual(
      [
        configured.clusterDomain,
        configured.cpuCfsPeriodUs,
        configured.podPidsLimit,
        configured.rootDir,
        configured.swapBehavior,
      ],
      ['cluster.local', 50_000, 100, '/var/lib/other', 'LimitedSwap'],
    );
    assert.equal(configured.cgroupDriver, 'systemd');
  });

  it('has the defaults where nothing is said', () => {
    const { swapBehavior, memoryReservationPolicy, seccompDefault, cpuCfsPeriodUs, cgroupsPerQos } =
      settings();
    assert.deepEqual(
      { swapBehavior, memoryReservationPolicy, seccompDefault, cpuCfsPeriodUs, cgroupsPerQos },
      {
        swapBehavior: 'NoSwap',
        memoryReservationPolicy: 'None',
        seccompDefault: false,
        cpuCfsPeriodUs: 100_000,
        cgroupsPerQos: true,
      },
    );
  });

  it('kills single processes for memory on cgroup v1 machines only, unless configured', () => {
    const { singleProcessOOMKill: _unset, ...config } = load({}).config;
    const unset = { ...load({}), config } as LoadedConfiguration;
    assert.equal(toNodeSettings(unset, 'cgroupfs', 1, () => []).singleProcessOomKill, true);
    assert.equal(toNodeSettings(unset, 'cgroupfs', 2, () => []).singleProcessOomKill, false);
    assert.equal(settings({ singleProcessOOMKill: true }).singleProcessOomKill, true);
  });

  it('the default profile for system calls comes from the file or the flag', () => {
    assert.equal(settings({ seccompDefault: true }).seccompDefault, true);
    assert.equal(settings({}, '--seccomp-default').seccompDefault, true);
  });

  it('answers for gates', () => {
    const { features } = settings({ featureGates: { MemoryQoS: true } });
    assert.equal(features('MemoryQoS'), true);
    assert.equal(settings().features('MemoryQoS'), false);
  });
});
