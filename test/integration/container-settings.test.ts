/**
 * What a container sees that a node or an image decides as well: defaults of
 * the kubelet's configuration, DNS of a cluster, names, terminals, resources
 * in its cgroup, users of its image; and what is refused before anything
 * runs. On real containerd, one node for each configuration.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { describe, it } from 'node:test';
import { freePort } from '../../scripts/demo/free-port.ts';
import { lastWords, reportingContainer, waitEnded } from './ended-pods.ts';
import { importImage } from './import-image.ts';
import { containerStatus, type TestNode, withNode } from './node.ts';
import { container, DEMO_WEB, samplePod, sleepingPod } from './sample-pods.ts';
import { checkSettings, type Fields, PROCESS_STATUS, type SettingCase } from './setting-cases.ts';

const IS_UNIFIED = existsSync('/sys/fs/cgroup/cgroup.controllers');
const MEMORY_BYTES = 64 * 2 ** 20;
const DNS = 'grep -E "^(search|nameserver|options)" /etc/resolv.conf';
const CLUSTER_DNS =
  /^search default\.svc\.c\.test svc\.c\.test c\.test( .*)?\nnameserver 192\.0\.2\.53\noptions ndots:5$/;
const RESOURCES = { requests: { cpu: '250m', memory: '64Mi' }, limits: { cpu: '500m', memory: '64Mi' } };

const CONFIG = {
  seccompDefault: true,
  clusterDNS: ['192.0.2.53'],
  clusterDomain: 'c.test',
  allowedUnsafeSysctls: ['kernel.msg*'],
};

const CASES: readonly SettingCase[] = [
  {
    name: 'the seccomp profile of the runtime where that is the default',
    script: `${PROCESS_STATUS} | grep Seccomp:`,
    says: 'Seccomp: 2',
  },
  {
    name: 'its own choice before the default',
    script: `${PROCESS_STATUS} | grep Seccomp:`,
    spec: { securityContext: { seccompProfile: { type: 'Unconfined' } } },
    says: 'Seccomp: 0',
  },
  {
    name: 'an unsafe sysctl that the node allows, and one spelled with slashes',
    script: 'cat /proc/sys/kernel/msgmax /proc/sys/net/ipv4/ip_local_port_range | tr "\\t" " "',
    spec: {
      securityContext: {
        sysctls: [
          { name: 'kernel.msgmax', value: '65000' },
          { name: 'net/ipv4/ip_local_port_range', value: '30000 40000' },
        ],
      },
    },
    says: '65000\n30000 40000',
  },
  {
    name: 'parts of /proc that cannot be written, and none of /sys/firmware',
    script: 'echo 1 2>&1 >/proc/sys/kernel/shm_rmid_forced | grep -c Read-only; ls /sys/firmware | wc -l',
    says: '1\n0',
  },
  {
    name: 'no AppArmor where it wants none',
    script: 'echo runs',
    securityContext: { appArmorProfile: { type: 'Unconfined' } },
    says: 'runs',
  },
  { name: 'the DNS of the cluster', script: DNS, spec: { dnsPolicy: 'ClusterFirst' }, says: CLUSTER_DNS },
  {
    name: 'the DNS of the cluster on the network of the host, only if it says so',
    script: DNS,
    spec: { dnsPolicy: 'ClusterFirstWithHostNet', hostNetwork: true },
    says: CLUSTER_DNS,
  },
  {
    name: 'the DNS of the node on the network of the host',
    script: 'grep -c 192.0.2.53 /etc/resolv.conf; head -n 1 /etc/hosts',
    spec: { dnsPolicy: 'ClusterFirst', hostNetwork: true },
    says: '0\n# Kubernetes-managed hosts file (host network).',
  },
  {
    name: 'its full name as host name, and both in its hosts file',
    script: 'hostname; grep inner /etc/hosts | tr "\\t" " "',
    spec: { hostname: 'inner', subdomain: 'sub', setHostnameAsFQDN: true },
    says: /^inner\.sub\.default\.svc\.c\.test\n[\d.]+ inner\.sub\.default\.svc\.c\.test inner$/,
  },
  {
    name: 'a host name that overrides all others',
    script: 'hostname; grep over /etc/hosts | cut -f2-',
    spec: { hostname: 'inner', hostnameOverride: 'over.ridden' },
    says: 'over.ridden\nover.ridden',
  },
  { name: 'no input', script: 'readlink /proc/self/fd/0', says: '/dev/null' },
  {
    name: 'an input that stays open',
    script: '[ -t 0 ] || readlink /proc/self/fd/0 | grep -v /dev/null | sed "s/.*/open/"',
    container: { stdin: true },
    says: 'open',
  },
  {
    name: 'a terminal',
    script: 'test -t 0 && echo terminal',
    container: { stdin: true, tty: true },
    says: 'terminal',
  },
  {
    name: 'its share of cpu and memory, and no swap',
    script: IS_UNIFIED
      ? 'cd /sys/fs/cgroup && cat cpu.max memory.max memory.swap.max'
      : 'cd /sys/fs/cgroup && cat cpu/cpu.shares cpu/cpu.cfs_quota_us memory/memory.limit_in_bytes memory/memory.memsw.limit_in_bytes',
    container: { resources: RESOURCES },
    says: IS_UNIFIED ? `50000 100000\n${MEMORY_BYTES}\n0` : `256\n50000\n${MEMORY_BYTES}\n${MEMORY_BYTES}`,
  },
  {
    name: 'the first place in the order of kills when it requested nothing',
    script: 'cat /proc/self/oom_score_adj',
    says: '1000',
  },
  {
    name: 'a later place by the memory it asked for',
    script: 'cat /proc/self/oom_score_adj',
    container: { resources: { requests: { memory: '1Gi' } } },
    says: String(1000 - Math.trunc((1000 * 2 ** 30) / totalmem())),
  },
];

const hasAppArmor = (): boolean => {
  try {
    return readFileSync('/sys/module/apparmor/parameters/enabled', 'utf8').startsWith('Y');
  } catch {
    return false;
  }
};

/** Waits until the pod is refused; returns reason and message. */
function waitRejected(node: TestNode, name: string): Promise<string> {
  return node.waitFor(
    `the end of "${name}"`,
    async () => {
      const { phase, reason, message } = (await node.pod(name))?.status ?? {};
      return phase === 'Failed' ? `${reason}: ${message}` : undefined;
    },
    30_000,
  );
}

describe('a container has', () => {
  it('what the node adds to its settings', (t) =>
    withNode({ config: CONFIG }, (node) => checkSettings(t, node, CASES)));

  it('nothing where the node forbids or cannot keep its settings', () =>
    withNode({}, async (node) => {
      const sysctl = (name: string): Fields => ({ securityContext: { sysctls: [{ name, value: '1' }] } });
      const pods: [name: string, spec: Fields, refusal: string][] = [
        [
          'unsafe',
          sysctl('kernel.msgmax'),
          'SysctlForbidden: Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
        ],
      ];
      if (!hasAppArmor())
        pods.push([
          'armor',
          { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } },
          'AppArmor: Pod was rejected: Cannot enforce AppArmor: AppArmor is not enabled on the host',
        ]);
      for (const [name, spec] of pods)
        await node.writeManifest(
          `${name}.yaml`,
          samplePod(name, { ...spec, containers: [reportingContainer('main', '')] }),
        );
      for (const [name, , refusal] of pods) assert.equal(await waitRejected(node, name), refusal);
    }));

  it('a runtime that gets its SELinux options, before those of the pod', () =>
    withNode({}, async (node) => {
      const pod = sleepingPod('label');
      const [main] = pod.spec['containers'] as object[];
      await node.writeManifest('label.yaml', {
        ...pod,
        spec: {
          ...pod.spec,
          securityContext: { seLinuxOptions: { level: 's0:c9' } },
          containers: [
            { ...main, securityContext: { seLinuxOptions: { level: 's0:c1,c2', type: 'spc_t' } } },
            container('other', ['/bin/tini', '--', 'sleep', 'infinity']),
          ],
        },
      });
      const ready = await node.waitReady('label');
      const optionsOf = async (name: string): Promise<unknown> => {
        const containerId = containerStatus(ready, name).containerID?.replace(/^.*:\/\//, '') ?? '';
        const { info } = await node.cri.client.call('containerStatus', { containerId, verbose: true });
        const { config } = JSON.parse(info['info'] ?? '{}');
        return config.linux.security_context.selinux_options;
      };
      assert.deepEqual(await optionsOf('main'), { type: 'spc_t', level: 's0:c1,c2' });
      assert.deepEqual(await optionsOf('other'), { level: 's0:c9' });
    }));
});

describe('a port of the host', () => {
  it('leads to the container that has it, is not given twice, and is free again afterwards', () =>
    withNode({}, async (node) => {
      const hostPort = await freePort();
      const address = `http://127.0.0.1:${hostPort}/healthz`;
      const ports = [{ containerPort: 8080, hostPort, hostIP: '127.0.0.1' }];
      const web = { name: 'main', image: DEMO_WEB, imagePullPolicy: 'IfNotPresent', ports };
      await node.writeManifest('web.yaml', samplePod('web', { containers: [web] }));
      await node.waitReady('web');
      const ask = async (): Promise<string> =>
        (await fetch(address, { signal: AbortSignal.timeout(2_000) })).text();
      assert.equal(await node.waitFor('the port to answer', ask, 20_000), 'ok\n');
      await node.writeManifest('second.yaml', samplePod('second', { containers: [web] }));
      assert.match(await waitRejected(node, 'second'), /^NodePorts: /);
      await node.removeAllManifests();
      await node.waitFor('the pods to be gone', async () => (await node.pods()).length === 0, 60_000);
      await assert.rejects(ask());
    }));
});

describe('the user of an image', () => {
  it('is the user of its container, with its groups unless they are not wanted', () =>
    withNode({}, async (node) => {
      const image = 'localhost/named-user:1';
      await importImage(image, {
        user: 'app',
        passwd: 'root:x:0:0::/:/bin/sh\napp:x:1500:1501::/:/bin/sh\n',
        group: 'root:x:0:\napp:x:1501:\nextra:x:1600:app\n',
      });
      const who = 'grep -E "^(Uid|Gid|Groups):" /proc/self/status | tr -s "\\t " " "';
      const pod = (name: string, context: Fields, spec: Fields = {}, from = image): Promise<number> =>
        node.writeManifest(
          `${name}.yaml`,
          samplePod(name, {
            restartPolicy: 'Never',
            containers: [reportingContainer('main', who, { image: from, securityContext: context })],
            ...spec,
          }),
        );
      await pod('named', {});
      await pod('merge', { runAsUser: 1500 }, { securityContext: { supplementalGroupsPolicy: 'Merge' } });
      await pod('strict', { runAsUser: 1500 }, { securityContext: { supplementalGroupsPolicy: 'Strict' } });
      await pod('unverified', { runAsNonRoot: true });
      await pod('verified', { runAsNonRoot: true }, {}, DEMO_WEB);
      const words = async (name: string): Promise<string> => lastWords(await waitEnded(node, name));
      assert.match(await words('named'), /^Uid: 1500 .*\nGid: 1501 .*\nGroups: .*1600/);
      assert.match(await words('merge'), /^Uid: 1500 .*\nGid: 1501 .*\nGroups: .*1600/);
      const { features } = await node.cri.reader.status({});
      if (features.supplementalGroupsPolicy) assert.doesNotMatch(await words('strict'), /1600/);
      else assert.match(await waitRejected(node, 'strict'), /SupplementalGroupsPolicyNotSupported/);
      assert.match(await words('verified'), /^Uid: 65534 /);
      const refused = await node.waitFor(
        'the refusal',
        async () => {
          const unverified = await node.pod('unverified');
          return unverified && containerStatus(unverified, 'main').state.waiting?.message;
        },
        40_000,
      );
      assert.match(refused, /^container has runAsNonRoot and image has non-numeric user \(app\)/);
      await node.removeAllManifests();
      await node.waitFor('the pods to be gone', async () => (await node.pods()).length === 0, 60_000);
      await node.cri.images.removeImage(image);
    }));
});
