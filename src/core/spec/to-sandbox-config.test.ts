import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import type { Pod, PodSpec } from '../api/pod.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import type { NamespaceOptions, SandboxConfig } from '../model/sandbox-config.ts';
import { type SandboxFacts, toSandboxConfig } from './to-sandbox-config.ts';

const facts = (over: Partial<SandboxFacts> = {}): SandboxFacts => ({
  attempt: 0,
  node: sampleNode(),
  resolvConf: 'nameserver 192.0.2.1\n',
  ...over,
});
function config(pod: Pod, over: Partial<SandboxFacts> = {}): SandboxConfig {
  const result = toSandboxConfig(pod, facts(over));
  assert.ok(result.ok, result.ok ? '' : result.message);
  return result.config;
}
const refusal = (spec: Partial<PodSpec>, over: Partial<SandboxFacts> = {}) => {
  const result = toSandboxConfig(samplePod(spec), facts(over));
  return result.ok ? undefined : result.message;
};
const mapping = { hostId: 65_536, containerId: 0, length: 65_536 };

describe('toSandboxConfig', () => {
  it('builds the whole of a plain pod', () => {
    const pod = samplePod(
      { securityContext: {} },
      { labels: { app: 'x', 'io.kubernetes.pod.name': 'fake' }, annotations: { note: 'y' } },
    );
    assert.deepEqual(toSandboxConfig(pod, facts({ attempt: 2 })), {
      ok: true,
      warnings: [],
      config: {
        name: 'shop',
        namespace: 'market',
        uid: '0a1b-2c3d',
        attempt: 2,
        hostname: 'shop',
        logDirectory: '/var/log/pods/market_shop_0a1b-2c3d',
        dns: {
          servers: ['10.96.0.10'],
          searches: ['market.svc.cluster.local', 'svc.cluster.local', 'cluster.local'],
          options: ['ndots:5'],
        },
        portMappings: [],
        labels: {
          app: 'x',
          'io.kubernetes.pod.name': 'shop',
          'io.kubernetes.pod.namespace': 'market',
          'io.kubernetes.pod.uid': '0a1b-2c3d',
        },
        annotations: { note: 'y' },
        cgroupParent: '/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod0a1b_2c3d.slice',
        sysctls: {},
        overhead: {},
        resources: { cpuShares: 2, cpuPeriod: 100_000, cpuQuota: 0, unified: { 'memory.oom.group': '1' } },
        security: {
          namespaces: { network: 'pod', ipc: 'pod', pid: 'container', user: 'node' },
          privileged: false,
          supplementalGroups: [],
          supplementalGroupsPolicy: 'Merge',
          seccomp: { type: 'RuntimeDefault' },
        },
      },
    });
  });

  const parents: [node: Partial<NodeProfile>, parent: string][] = [
    [{ cgroupDriver: 'cgroupfs' }, '/kubepods/besteffort/pod0a1b-2c3d'],
    [{ cgroupDriver: 'cgroupfs', cgroupRoot: '/foo' }, '/foo/kubepods/besteffort/pod0a1b-2c3d'],
    [{ cgroupsPerQos: false }, ''],
  ];
  for (const [node, parent] of parents) {
    it(`puts the pod into "${parent}" for ${JSON.stringify(node)}`, () => {
      assert.equal(config(samplePod(), { node: sampleNode(node) }).cgroupParent, parent);
    });
  }

  it('puts a pod by the class of its own resources, where they count', () => {
    const pod = samplePod({ resources: { requests: { cpu: '1' } } });
    const parent = (gate: boolean): string =>
      config(pod, { node: sampleNode({ cgroupDriver: 'cgroupfs', features: () => gate }) }).cgroupParent;
    assert.deepEqual(
      [parent(true), parent(false)],
      ['/kubepods/burstable/pod0a1b-2c3d', '/kubepods/besteffort/pod0a1b-2c3d'],
    );
  });

  const namespaces: [spec: Partial<PodSpec>, expected: Partial<NamespaceOptions>][] = [
    [{ hostNetwork: true }, { network: 'node' }],
    [{ hostIPC: true }, { ipc: 'node' }],
    [{ hostPID: true, shareProcessNamespace: true }, { pid: 'node' }],
    [{ shareProcessNamespace: true }, { pid: 'pod' }],
    [{ shareProcessNamespace: false }, { pid: 'container' }],
    [{ hostUsers: true }, { user: 'node' }],
    [{ hostUsers: false }, { user: { uids: [mapping], gids: [mapping] } }],
  ];
  for (const [spec, expected] of namespaces) {
    it(`shares namespaces as ${JSON.stringify(spec)} says`, () => {
      const made = config(samplePod(spec), { userMapping: mapping }).security.namespaces;
      assert.deepEqual(made, { network: 'pod', ipc: 'pod', pid: 'container', user: 'node', ...expected });
    });
  }

  it('has no hostname on the network of the node, and the full one on demand', () => {
    assert.equal(config(samplePod({ hostNetwork: true, hostname: 'Bad Name' })).hostname, '');
    const full = samplePod({ subdomain: 'sub', setHostnameAsFQDN: true });
    assert.equal(config(full).hostname, 'shop.sub.market.svc.cluster.local');
  });

  it('is privileged when one of its containers is', () => {
    const privileged = sampleContainer({ securityContext: { privileged: true } });
    for (const spec of [
      { containers: [privileged] },
      { initContainers: [privileged] },
      { ephemeralContainers: [privileged] },
    ]) {
      assert.equal(config(samplePod(spec)).security.privileged, true);
    }
  });

  it('takes users, groups and labels of the pod only, groups of volumes before its own', () => {
    const securityContext = {
      runAsUser: 1,
      runAsGroup: 2,
      fsGroup: 3,
      supplementalGroups: [4, 5],
      seLinuxOptions: { level: 's0' },
    };
    const container = sampleContainer({ securityContext: { runAsUser: 9, seLinuxOptions: { level: 's9' } } });
    const made = config(samplePod({ securityContext, containers: [container] }), {
      volumeGroups: [5, 6],
    }).security;
    assert.deepEqual(
      [made.runAsUser, made.runAsGroup, made.supplementalGroups, made.selinux],
      [1, 2, [3, 6, 4, 5], { level: 's0' }],
    );
  });

  it('passes warnings about DNS on', () => {
    const result = toSandboxConfig(samplePod(), facts({ node: sampleNode({ clusterDns: [] }) }));
    assert.ok(result.ok);
    assert.deepEqual(
      result.warnings.map((warning) => `${warning.target} ${warning.reason}`),
      ['node MissingClusterDNS', 'pod MissingClusterDNS'],
    );
  });

  it('normalises sysctls', () => {
    const sysctls = [{ name: 'net/core/somaxconn', value: '1' }];
    assert.deepEqual(config(samplePod({ securityContext: { sysctls } })).sysctls, {
      'net.core.somaxconn': '1',
    });
  });

  const cannot = "can't set `spec.hostUsers: false`, ";
  const handlers = (...names: string[]): Partial<SandboxFacts> => ({
    userMapping: mapping,
    node: sampleNode({
      runtimeHandlers: () =>
        names.map((name) => ({ name, userNamespaces: false, recursiveReadOnlyMounts: false })),
    }),
  });
  const refusals: [message: string, spec: Partial<PodSpec>, over?: Partial<SandboxFacts>][] = [
    ['unsupported supplementalGroupsPolicy: Odd', { securityContext: { supplementalGroupsPolicy: 'Odd' } }],
    ['nameserver list is empty ', {}, { resolvConf: 'nameserver' }],
    ['could not find an empty slot to allocate a user namespace', { hostUsers: false }],
    [`${cannot}runtime does not support user namespaces`, { hostUsers: false }, handlers('')],
    [`${cannot}runtime does not support user namespaces`, { hostUsers: false }, handlers()],
    [
      `${cannot}RuntimeClass handler "kata" does not support user namespaces`,
      { hostUsers: false },
      { ...handlers('', 'kata'), runtimeHandler: 'kata' },
    ],
    ['the handler "odd" is not known', { hostUsers: false }, { ...handlers(''), runtimeHandler: 'odd' }],
  ];
  for (const [message, spec, over] of refusals) {
    it(`refuses: ${message}`, () => assert.equal(refusal(spec, over), message));
  }

  it('refuses a bad hostname', () => {
    assert.match(refusal({ hostname: 'Bad' }) ?? '', /^pod Hostname "Bad" is not a valid DNS label: /);
  });
});
