/**
 * What a container is and may do, one test for each setting of its security
 * context and of its namespaces, on real containerd. Each container
 * writes what it sees into its termination message.
 */
import assert from 'node:assert/strict';
import { readFileSync, readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { waitEnded } from './ended-pods.ts';
import { containerStatus, type TestNode, withNode } from './node.ts';
import { container, samplePod } from './sample-pods.ts';
import { checkSettings, type Fields, PROCESS_STATUS, type SettingCase } from './setting-cases.ts';

/** What a resolver looks at. */
const MAX_NAME_SERVERS = 3;
const SLEEP = ['/bin/tini', '--', 'sleep', 'infinity'];

const CASES: readonly SettingCase[] = [
  {
    name: 'runAsUser and runAsGroup',
    script: 'id -u; id -g',
    securityContext: { runAsUser: 1234, runAsGroup: 5678, runAsNonRoot: true },
    says: '1234\n5678',
  },
  {
    name: 'the settings of the container win over those of the pod',
    script: 'id -u',
    spec: { securityContext: { runAsUser: 1 } },
    securityContext: { runAsUser: 2 },
    says: '2',
  },
  {
    name: 'supplemental groups and fsGroup',
    script: `${PROCESS_STATUS} | grep Groups`,
    spec: { securityContext: { supplementalGroups: [71, 72], fsGroup: 73 } },
    says: /^Groups:.* 71 72 73\b/,
  },
  {
    name: 'capabilities, added and dropped',
    script: `${PROCESS_STATUS} | grep CapEff`,
    securityContext: { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } },
    says: 'CapEff: 0000000000000400',
  },
  {
    name: 'privileged',
    script: 'mkdir /m && mount -t tmpfs none /m && echo mounted; ls /dev | grep -c loop-control',
    securityContext: { privileged: true },
    says: 'mounted\n1',
  },
  {
    name: 'unprivileged',
    script: 'mkdir /m && mount -t tmpfs none /m || echo refused; ls /dev | grep -c loop-control',
    says: /refused\n0$/,
  },
  {
    name: 'readOnlyRootFilesystem',
    script: 'touch /x || echo fixed',
    securityContext: { readOnlyRootFilesystem: true },
    says: /fixed$/,
  },
  {
    name: 'no new privileges',
    script: `${PROCESS_STATUS} | grep NoNewPrivs`,
    securityContext: { allowPrivilegeEscalation: false },
    says: 'NoNewPrivs: 1',
  },
  {
    name: 'seccomp of the runtime',
    script: `${PROCESS_STATUS} | grep Seccomp:`,
    securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    says: 'Seccomp: 2',
  },
  {
    name: 'no seccomp',
    script: `${PROCESS_STATUS} | grep Seccomp:`,
    securityContext: { seccompProfile: { type: 'Unconfined' } },
    says: 'Seccomp: 0',
  },
  {
    name: 'a seccomp profile of the node',
    script: 'mkdir /x || echo refused',
    securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'no-mkdir.json' } },
    says: /refused$/,
  },
  {
    name: 'sysctls',
    script: 'cat /proc/sys/net/ipv4/ip_unprivileged_port_start',
    spec: { securityContext: { sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '80' }] } },
    says: '80',
  },
  {
    name: 'masked parts of /proc',
    script: 'grep -c " /proc/keys " /proc/mounts',
    says: '1',
  },
  {
    name: 'the network of the host',
    script: 'readlink /proc/self/ns/net',
    spec: { hostNetwork: true },
    says: readlinkSync('/proc/self/ns/net'),
  },
  {
    name: 'the processes of the host',
    script: '[ -e /proc/2 ] && cat /proc/self/stat | cut -d" " -f1',
    spec: { hostPID: true },
    says: /^\d{2,}$/,
  },
  {
    name: 'IPC of the host',
    script: 'readlink /proc/self/ns/ipc',
    spec: { hostIPC: true },
    says: readlinkSync('/proc/self/ns/ipc'),
  },
  {
    name: 'processes shared in the pod',
    script: 'cat /proc/1/comm',
    spec: { shareProcessNamespace: true },
    says: /^tini$|^pause$|^sleep$/,
  },
  {
    name: 'processes of its own',
    script: 'cat /proc/1/comm',
    says: /^(sh|cat)$/,
  },
  {
    name: 'variables in their order, with references to those before',
    script: 'echo "$A $B $C"; env | grep -E "^(POD|CPU)=" | sort',
    container: {
      resources: { limits: { cpu: '1500m' } },
      env: [
        { name: 'A', value: 'a' },
        { name: 'B', value: '$(A)b $(C) $$(A)' },
        { name: 'C', value: 'c' },
        { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
        { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
      ],
    },
    says: 'a ab $(C) $(A) c\nCPU=2\nPOD=default',
  },
  {
    name: 'DNS of its own',
    script: 'cat /etc/resolv.conf',
    spec: {
      dnsPolicy: 'None',
      dnsConfig: {
        nameservers: ['192.0.2.7'],
        searches: ['a.example'],
        options: [{ name: 'ndots', value: '3' }],
      },
    },
    says: 'search a.example\nnameserver 192.0.2.7\noptions ndots:3',
  },
  {
    name: 'the DNS of the node',
    script: 'grep ^nameserver /etc/resolv.conf',
    spec: { dnsPolicy: 'Default' },
    says: readFileSync('/etc/resolv.conf', 'utf8')
      .split('\n')
      .filter((line) => /^nameserver\s/.test(line))
      .slice(0, MAX_NAME_SERVERS)
      .map((line) => line.trim().replace(/\s+/, ' '))
      .join('\n'),
  },
  {
    name: 'host aliases',
    script: 'grep alias /etc/hosts | tr "\\t" " "',
    spec: { hostAliases: [{ ip: '192.0.2.9', hostnames: ['alias.example', 'alias'] }] },
    says: '192.0.2.9 alias.example alias',
  },
  {
    name: 'a host name',
    script: 'hostname; hostname -f',
    spec: { hostname: 'inner', subdomain: 'sub' },
    says: /^inner\n/,
  },
  {
    name: 'a working directory and arguments',
    script: 'pwd',
    container: { workingDir: '/etc' },
    says: '/etc',
  },
];

async function writeSeccompProfile(node: TestNode): Promise<void> {
  const directory = join(node.kubelet.rootDir, 'seccomp');
  await mkdir(directory, { recursive: true });
  const syscalls = [{ names: ['mkdir', 'mkdirat'], action: 'SCMP_ACT_ERRNO' }];
  const profile = { defaultAction: 'SCMP_ACT_ALLOW', syscalls };
  await writeFile(join(directory, 'no-mkdir.json'), JSON.stringify(profile));
}

describe('a container has', () => {
  it('what its settings say', async (t) => {
    await withNode({}, async (node) => {
      await writeSeccompProfile(node);
      await checkSettings(t, node, CASES);
    });
  });

  it('a refusal where the settings cannot be met', () =>
    withNode({}, async (node) => {
      const refusals: [name: string, securityContext: Fields, reason: string, message: RegExp][] = [
        [
          'root',
          { runAsNonRoot: true },
          'CreateContainerConfigError',
          /^container has runAsNonRoot and image will run as root/,
        ],
        [
          'root-by-number',
          { runAsNonRoot: true, runAsUser: 0 },
          'CreateContainerConfigError',
          /^container's runAsUser breaks non-root policy/,
        ],
        [
          'no-profile',
          { seccompProfile: { type: 'Localhost', localhostProfile: 'none.json' } },
          'CreateContainerError',
          /none\.json/,
        ],
      ];
      for (const [name, securityContext] of refusals)
        await node.writeManifest(
          `${name}.yaml`,
          samplePod(name, { containers: [container('main', SLEEP, { securityContext })] }),
        );
      for (const [name, , reason, message] of refusals) {
        const waiting = await node.waitFor(
          `the refusal of ${name}`,
          async () => {
            const pod = await node.pod(name);
            const state = pod && containerStatus(pod, 'main').state.waiting;
            return state?.reason === reason ? state : undefined;
          },
          40_000,
        );
        assert.match(waiting.message ?? '', message);
      }
    }));
});

describe('the last words of a container', () => {
  it('come from the file it chose, or from its log when it failed without any, and not endlessly', () =>
    withNode({}, async (node) => {
      const policy = { terminationMessagePolicy: 'FallbackToLogsOnError' };
      const own = { terminationMessagePath: '/tmp/words' };
      await node.writeManifest(
        'words.yaml',
        samplePod('words', {
          restartPolicy: 'Never',
          containers: [
            container('file', ['sh', '-c', 'echo -n chosen >/tmp/words'], own),
            container('log', ['sh', '-c', 'echo from the log; exit 3'], policy),
            container('fine', ['sh', '-c', 'echo not shown'], policy),
            container('much', ['sh', '-c', 'yes | head -c 100000 >/dev/termination-log']),
          ],
        }),
      );
      const pod = await waitEnded(node, 'words');
      const words = (name: string) => containerStatus(pod, name).state.terminated?.message ?? '';
      assert.equal(words('file'), 'chosen');
      assert.equal(words('log'), 'from the log\n');
      assert.equal(words('fine'), '');
      assert.equal(words('much').length, 3_072, 'four containers share 12 KiB');
    }));
});
