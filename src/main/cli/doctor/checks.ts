/** The checks of the doctor, one line each: facts are read, and a rule judges them. All of them only look. */
import { join } from 'node:path';
import { parseEndpoint } from '../../../adapters/cri/endpoint.ts';
import type { CgroupDriver } from '../../../core/model/node-profile.ts';
import { PAGE_PORT } from '../../../server/page/page-server.ts';
import type { LoadedConfiguration } from '../../config/load/load-configuration.ts';
import { toLocalSocket } from '../../config/local-socket.ts';
import { USUAL_SOCKETS } from '../run/find-runtime.ts';
import type { DoctorSettings } from './doctor-settings.ts';
import type { Finding } from './finding.ts';
import { judgeCgroups } from './judge-cgroups.ts';
import { judgeKernel } from './judge-kernel.ts';
import { judgeClock, judgePort, judgeSwap } from './judge-machine.ts';
import { judgeDisk, judgeRootDirectory } from './judge-places.ts';
import { judgeRights } from './judge-rights.ts';
import { type FoundRuntime, judgeNetwork, judgeRuntime } from './judge-runtime.ts';
import { judgeCertificate, judgeConfiguration, judgePlace } from './judge-settings.ts';
import { type MachineView, readPort } from './machine-view.ts';
import { readCgroups, readClock, readKernel, readRights, readSwapBytes } from './read-machine.ts';
import {
  CNI_DIRECTORY,
  isThere,
  readCertificate,
  readDirectories,
  readDisk,
  readKubeconfig,
  readNetworkConfiguration,
} from './read-places.ts';

export interface Situation {
  readonly machine: MachineView;
  readonly settings: DoctorSettings;
  readonly rootDir: string;
  /** The kubelet with this root directory; undefined when none runs. */
  readonly pid: number | undefined;
  readonly path: string;
  readonly nowMs: number;
  /** Asked once, for all checks that need it. */
  readonly runtime: Promise<FoundRuntime>;
}

export interface Check {
  /** What could not be looked at, when it takes too long. */
  readonly subject: string;
  readonly look: (situation: Situation) => Promise<readonly Finding[]>;
}

export const CHECKS: readonly Check[] = [
  { subject: 'rights', look: async ({ machine, path }) => judgeRights(await readRights(machine, path)) },
  { subject: 'configuration', look: async ({ settings }) => judgeConfiguration(settings.about) },
  { subject: 'cgroups', look: lookAtCgroups },
  { subject: 'runtime', look: async ({ runtime }) => judgeRuntime(await runtime) },
  { subject: 'pod network', look: lookAtNetwork },
  { subject: 'swap', look: lookAtSwap },
  { subject: 'ports', look: lookAtPorts },
  { subject: 'clock', look: async ({ machine, nowMs }) => [judgeClock(await readClock(machine, nowMs))] },
  { subject: 'kernel', look: lookAtKernel },
  { subject: 'root directory', look: lookAtRoot },
  { subject: 'disks', look: lookAtDisks },
  { subject: 'places', look: lookAtPlaces },
  { subject: 'certificates', look: lookAtCertificates },
];

export async function readRuntime(
  machine: MachineView,
  endpoint: string,
  isRunning: boolean,
): Promise<FoundRuntime> {
  const { socketPath } = parseEndpoint(endpoint);
  const socket = await machine.trySocket(socketPath);
  const facts = socket === 'open' ? await machine.inspectRuntime(endpoint) : undefined;
  const tried = await Promise.all(
    (facts === undefined ? USUAL_SOCKETS : []).map(async (path) => ({
      path,
      state: await machine.trySocket(path),
    })),
  );
  const others = tried
    .filter(({ path, state }) => path !== socketPath && state === 'open')
    .map(({ path }) => path);
  return { endpoint, socket, facts, others, isRunning };
}

function answerOf({ facts }: FoundRuntime) {
  return facts === undefined || 'problem' in facts ? undefined : facts;
}

async function lookAtCgroups({ machine, settings, runtime }: Situation): Promise<Finding[]> {
  const { failCgroupV1: failsOnV1, cgroupDriver } = settings.loaded.config;
  return judgeCgroups({
    ...(await readCgroups(machine)),
    failsOnV1,
    driver: cgroupDriver as CgroupDriver,
    runtimeDriver: answerOf(await runtime)?.cgroupDriver,
  });
}

async function lookAtNetwork({ machine, runtime }: Situation): Promise<Finding[]> {
  const condition = answerOf(await runtime)?.conditions.find(({ type }) => type === 'NetworkReady');
  const configuration = await readNetworkConfiguration(machine);
  return [judgeNetwork({ condition, directory: CNI_DIRECTORY, configuration })];
}

async function lookAtSwap({ machine, settings }: Situation): Promise<Finding[]> {
  const { failSwapOn: failsOnSwap } = settings.loaded.config;
  return [judgeSwap({ swapBytes: await readSwapBytes(machine), failsOnSwap })];
}

async function lookAtPorts({ machine, settings, pid: ownPid }: Situation): Promise<Finding[]> {
  const { config, flags } = settings.loaded;
  const ports = [
    { port: config.enableServer ? config.port : 0, setting: 'port', isNeeded: true },
    { port: config.readOnlyPort, setting: 'readOnlyPort', isNeeded: true },
    { port: config.healthzPort, setting: 'healthzPort', isNeeded: false },
    { port: toPagePort(flags), setting: '--page-port', isNeeded: false },
  ];
  const asked = ports.filter(({ port }) => port > 0);
  return Promise.all(
    asked.map(async (one) => judgePort({ ...one, ...(await readPort(machine, one.port)), ownPid })),
  );
}

function toPagePort({ pagePort, kubeconfig }: LoadedConfiguration['flags']): number {
  if (pagePort >= 0) return pagePort;
  return kubeconfig === '' ? PAGE_PORT : 0;
}

async function lookAtKernel({ machine, settings, pid }: Situation): Promise<Finding[]> {
  const { config, flags } = settings.loaded;
  const protects = config.protectKernelDefaults;
  const inCluster = flags.kubeconfig !== '';
  return judgeKernel({
    ...(await readKernel(machine)),
    config: { protects, inCluster, isRunning: pid !== undefined },
  });
}

async function lookAtRoot({ rootDir: path }: Situation): Promise<Finding[]> {
  return [
    judgeRootDirectory({ path, socketPath: toLocalSocket(path), directories: await readDirectories(path) }),
  ];
}

async function lookAtDisks({ machine, settings, rootDir, runtime }: Situation): Promise<Finding[]> {
  const { evictionHard, podLogsDir } = settings.loaded.config;
  const hardOf = (name: string) => ({
    bytes: evictionHard[`${name}.available`],
    inodes: evictionHard[`${name}.inodesFree`],
  });
  const images = answerOf(await runtime)?.imageDirectories ?? [];
  const disks = [
    { name: 'root dir', path: rootDir, hard: hardOf('nodefs') },
    { name: 'pod logs', path: podLogsDir, hard: hardOf('nodefs') },
    ...images.map((path) => ({ name: 'images', path, hard: hardOf('imagefs') })),
  ];
  return Promise.all(disks.map(async (disk) => judgeDisk(await readDisk(machine, disk))));
}

async function lookAtPlaces({ settings }: Situation): Promise<Finding[]> {
  const { resolvConf, staticPodPath } = settings.loaded.config;
  const places = [
    {
      name: 'manifests',
      path: staticPodPath,
      mend: `mkdir -p ${staticPodPath}; the kubelet runs what is put there`,
    },
    {
      name: 'resolver',
      path: resolvConf,
      mend: 'set resolvConf to the file with the name servers of this machine',
    },
  ];
  const named = places.filter(({ path }) => path !== '');
  return Promise.all(named.map(async (one) => judgePlace({ ...one, isThere: await isThere(one.path) })));
}

async function lookAtCertificates({ settings, nowMs }: Situation): Promise<Finding[]> {
  const { config, flags } = settings.loaded;
  const { certDir, kubeconfig } = flags;
  const rotates = config.rotateCertificates;
  const inCluster = kubeconfig !== '';
  const serving =
    config.tlsCertFile === ''
      ? { path: join(certDir, 'kubelet.crt'), rotates: false, isOptional: true }
      : { path: config.tlsCertFile, rotates: false };
  const client = { name: 'client certificate', path: join(certDir, 'kubelet-client-current.pem') };
  const ca = config.authentication.x509.clientCAFile;
  const found = [
    ...(inCluster ? await readKubeconfig(kubeconfig, rotates) : []),
    await readCertificate({ name: 'serving certificate', ...serving }),
    ...(inCluster ? [await readCertificate({ ...client, rotates, isOptional: true })] : []),
    ...(ca === '' ? [] : [await readCertificate({ name: 'clientCAFile', path: ca, rotates: false })]),
  ].filter((one) => one !== undefined);
  const seen = new Set<string>();
  const once = found.filter(({ name, path }) => !seen.has(`${name} ${path}`) && seen.add(`${name} ${path}`));
  return once.map((facts) => judgeCertificate(facts, nowMs));
}
