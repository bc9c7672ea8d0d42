/** Facts about directories, disks, network configurations and certificates for the judges. */
import { X509Certificate } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { parseKubeconfig } from '../../../adapters/kube/credentials/kubeconfig.ts';
import { readBounded } from '../../../adapters/linux/files/read-bounded.ts';
import { findCoveringMount, parseMountinfo } from '../../../adapters/linux/mountinfo.ts';
import { lstat, stat } from '../../../adapters/linux/storage/storage-fs.ts';
import { AgentError, errorText } from '../../../base/errors.ts';
import type { DirectoryFacts, DiskFacts } from './judge-places.ts';
import type { NetworkConfiguration } from './judge-runtime.ts';
import type { FoundCertificate } from './judge-settings.ts';
import { exists, listMachineNames, type MachineView, readKernelText } from './machine-view.ts';

export const CNI_DIRECTORY = '/etc/cni/net.d';
const CNI_PROGRAMS = ['opt/cni/bin', 'usr/lib/cni', 'usr/libexec/cni'];
const MAX_BYTES = 1024 * 1024;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/;

/** At the nearest place that exists: a directory may be made only later. */
export async function readDisk(
  machine: MachineView,
  disk: Pick<DiskFacts, 'name' | 'path' | 'hard'>,
): Promise<DiskFacts> {
  const path = await findExisting(disk.path);
  const mounts = parseMountinfo(await readKernelText(machine, 'proc/self/mountinfo'));
  const isReadOnly = findCoveringMount(mounts, path)?.superOptions.includes('ro') === true;
  return { ...disk, path, usage: await machine.readUsage(path), isReadOnly };
}

async function findExisting(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch((error: unknown) => toAbsent(error));
    if (found !== undefined || dirname(at) === at) return at;
  }
}

/** The directory and those above it, as far as they exist; the lowest first. */
export async function readDirectories(path: string): Promise<DirectoryFacts[]> {
  const found: DirectoryFacts[] = [];
  for (let at = path; ; at = dirname(at)) {
    const facts = await stat(at).catch((error: unknown) => toAbsent(error));
    if (facts !== undefined)
      found.push({ path: at, isDirectory: facts.isDirectory(), userId: facts.uid, mode: facts.mode });
    if (dirname(at) === at) return found;
  }
}

/** Undefined for what is not there; rethrows what says something else, such as a server that is gone. */
function toAbsent(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}

export function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The one that a runtime with usual settings takes. */
export async function readNetworkConfiguration(
  machine: MachineView,
): Promise<NetworkConfiguration | undefined> {
  const names = (await listMachineNames(machine, CNI_DIRECTORY))
    .filter((name) => /\.(conf|conflist|json)$/.test(name))
    .sort();
  const [first] = names;
  if (first === undefined) return undefined;
  const file = join(CNI_DIRECTORY, first);
  const text = await readBounded(join(machine.root, file), { maxBytes: MAX_BYTES, followsLinks: true });
  const types = parsePluginTypes(text.toString());
  const found = await Promise.all(types.map((type) => hasPlugin(machine, type)));
  return { file, missingPlugins: types.filter((_, index) => !found[index]) };
}

/** The names of programs; what is no name of a file is none. */
export function parsePluginTypes(text: string): string[] {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return [];
  }
  const { type, plugins, ipam } = toFields(document);
  const all = [type, toFields(ipam)['type'], ...(Array.isArray(plugins) ? plugins : []).flatMap(toTypes)];
  return [
    ...new Set(
      all.filter(
        (name): name is string => typeof name === 'string' && basename(name) === name && name !== '',
      ),
    ),
  ];
}

function toTypes(plugin: unknown): unknown[] {
  const { type, ipam } = toFields(plugin);
  return [type, toFields(ipam)['type']];
}

function toFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

async function hasPlugin(machine: MachineView, type: string): Promise<boolean> {
  const found = await Promise.all(CNI_PROGRAMS.map((directory) => exists(machine, join(directory, type))));
  return found.includes(true);
}

interface CertificatePlace {
  readonly name: string;
  readonly path: string;
  readonly rotates: boolean;
  /** A file that may be missing. */
  readonly isOptional?: boolean;
}

export async function readCertificate(place: CertificatePlace): Promise<FoundCertificate | undefined> {
  const { name, path, rotates, isOptional = false } = place;
  try {
    const text = (await readBounded(path, { maxBytes: MAX_BYTES, followsLinks: true })).toString();
    return toCertificateFacts({ name, path, rotates }, text);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (isOptional && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    return { name, path, problem: `cannot read ${JSON.stringify(path)}: ${errorText(error)}` };
  }
}

function toCertificateFacts(place: Omit<CertificatePlace, 'isOptional'>, text: string): FoundCertificate {
  const { name, path } = place;
  const [block] = CERTIFICATE.exec(text) ?? [];
  if (block === undefined) return { name, path, problem: `${path} holds no PEM certificate` };
  try {
    const { validFromDate, validToDate } = new X509Certificate(block);
    return { ...place, notBeforeMs: validFromDate.getTime(), notAfterMs: validToDate.getTime() };
  } catch {
    return { name, path, problem: `${path} holds a certificate that cannot be read` };
  }
}

/** Those that a kubeconfig holds or names. */
export async function readKubeconfig(path: string, rotates: boolean): Promise<FoundCertificate[]> {
  try {
    const text = (await readBounded(path, { maxBytes: MAX_BYTES, followsLinks: true })).toString();
    const { ca, user } = parseKubeconfig(text, path);
    const named = [
      ['the cluster’s certificate', ca, false],
      ['client certificate', user.certificate, rotates],
    ] as const;
    const found = await Promise.all(
      named.map(async ([name, material, renewed]) => {
        if (material === undefined) return undefined;
        if (material.kind === 'file') return readCertificate({ name, path: material.path, rotates: renewed });
        return toCertificateFacts({ name, path, rotates: renewed }, material.text.reveal());
      }),
    );
    return found.filter((one) => one !== undefined);
  } catch (error) {
    const why =
      error instanceof AgentError
        ? errorText(error)
        : `cannot read ${JSON.stringify(path)}: ${errorText(error)}`;
    return [{ name: 'kubeconfig', path, problem: why }];
  }
}
