/**
 * The container runtime contract on real containerd, through adapters/cri.
 * Needs the private instances of scripts/host/containerd.sh (`up 2.1`, `up
 * 1.6`), or sockets named by the environment; fails when there are none.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { connectCri } from '../../src/adapters/cri/connect-cri.ts';
import type { Clock } from '../../src/base/async/clock.ts';
import type { ContainerConfig } from '../../src/core/model/container-config.ts';
import { silentLogger } from '../fakes/text-logger.ts';
import {
  CONTRACT_COMMANDS,
  type ContractSubject,
  containerRuntimeContract,
  PodFixture,
} from './container-runtime.ts';

const HOST_DIR = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const IMAGE = 'localhost/busybox:1';

const clock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  startTimer: (delayMs, run) => setTimeout(run, delayMs),
};

/** From the variable, with or without its scheme, else where the host scripts put it. */
function socketOf(version: string, variable: string): string {
  const given = process.env[variable]?.replace(/^unix:\/\//, '');
  return given ?? join(HOST_DIR, 'instances', version, 'containerd.sock');
}

async function connectContainerd(version: string, variable: string): Promise<ContractSubject> {
  const socket = socketOf(version, variable);
  if (!existsSync(socket))
    assert.fail(
      `no containerd ${version} at "${socket}": run "scripts/host/containerd.sh up ${version}" or set ${variable}`,
    );
  const cri = connectCri({
    endpoint: `unix://${socket}`,
    requestTimeoutMs: 120_000,
    clock,
    logger: silentLogger,
    listStreaming: true,
  });
  await cri.connect();
  return {
    runtime: cri.runtime,
    reader: cri.reader,
    images: cri.images,
    image: IMAGE,
    async close() {
      await cri.close();
      assert.equal(cri.client.openStreams, 0);
      assert.equal(cri.client.openSessions, 0);
      assert.deepEqual(cri.client.inFlightCalls(), []);
    },
  };
}

containerRuntimeContract('containerd 2.1', () => connectContainerd('2.1', 'KUBELET_TS_CONTAINERD_2_1'));
containerRuntimeContract('containerd 1.6', () => connectContainerd('1.6', 'KUBELET_TS_CONTAINERD_1_6'), {
  events: false,
});

/** What a process sees of its settings, one per line. */
const LOOK = `
echo "user $(id -u) group $(id -g) groups $(id -G)"
echo "pwd $(pwd) env $GREETING host $(hostname)"
echo "$(grep CapEff /proc/self/status | tr -d '\\t') $(grep NoNewPrivs /proc/self/status | tr -d '\\t')"
echo "data $(cat /data/file); $(touch /data/x 2>&1); $(touch /x 2>&1)"
echo "ports from $(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)"
tr '\\n' ' ' < /etc/resolv.conf; echo
`;

for (const version of ['2.1', '1.6'])
  describe(`wire numbers: containerd ${version}`, () => {
    it('every setting of pod and container reaches the process', async () => {
      const variable = version === '2.1' ? 'KUBELET_TS_CONTAINERD_2_1' : 'KUBELET_TS_CONTAINERD_1_6';
      const subject = await connectContainerd(version, variable);
      const directory = await mkdtemp(join(tmpdir(), 'wire-numbers-'));
      const pods = new PodFixture(subject, join(directory, 'logs'));
      try {
        await writeFile(join(directory, 'file'), 'hello');
        await chmod(directory, 0o777);
        const pod = await pods.runPod({ sysctls: { 'net.ipv4.ip_unprivileged_port_start': '80' } });
        const base = pods.containerConfig(pod, CONTRACT_COMMANDS.sleep);
        const id = await pods.startContainer(pod, CONTRACT_COMMANDS.sleep, toRichConfig(base, directory));
        const { stdout } = await subject.runtime.execSync(id, ['sh', '-c', LOOK], 10);
        assert.deepEqual(Buffer.from(stdout).toString().trim().split('\n'), [
          'user 1000 group 2000 groups 2000 3000',
          `pwd /tmp env hello host ${pod.config.hostname}`,
          'CapEff:0000000000000000 NoNewPrivs:1',
          'data hello; touch: /data/x: Read-only file system; touch: /x: Read-only file system',
          'ports from 80',
          'search example.com nameserver 192.0.2.1 options ndots:5',
        ]);
        const details = (await subject.reader.containerStatus(id))?.details;
        assert.deepEqual(
          details?.mounts.filter(({ containerPath }) => containerPath === '/data'),
          [{ containerPath: '/data', hostPath: directory, readOnly: true }],
        );
      } finally {
        await pods.dispose();
        await subject.close();
        await rm(directory, { recursive: true, force: true });
      }
    });
  });

function toRichConfig(base: ContainerConfig, directory: string): Partial<ContainerConfig> {
  return {
    workingDir: '/tmp',
    mounts: [
      {
        containerPath: '/data',
        hostPath: directory,
        readOnly: true,
        recursiveReadOnly: false,
        selinuxRelabel: false,
        propagation: 'private',
        uidMappings: [],
        gidMappings: [],
      },
    ],
    security: {
      ...base.security,
      runAsUser: 1000,
      runAsGroup: 2000,
      supplementalGroups: [3000],
      capabilities: { add: [], drop: ['ALL'] },
      readOnlyRootFilesystem: true,
      noNewPrivileges: true,
    },
  };
}
