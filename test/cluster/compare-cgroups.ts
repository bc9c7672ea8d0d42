/**
 * Compares the cgroups that the upstream kubelet and ours make of the same
 * static pods on this host: every setting of the cgroup of all pods, of the
 * QoS tiers and of the pods (what is below belongs to the runtime). One runs
 * after the other, each from nothing. Exit code 0 when all values are equal.
 *
 * usage (root): node test/cluster/compare-cgroups.ts
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SHAPES } from './cgroup-shapes.ts';

const KUBELET = join(import.meta.dirname, 'kubelet.sh');
const MOUNT = '/sys/fs/cgroup';
const ROOT = process.env['KUBELET_TS_CGROUP'] ?? 'kubelet-ts-standalone';
/** Where kubelet.sh has the pods of a standalone kubelet. */
const ALL_PODS = `${ROOT}/kubepods`;
const SETTLE_MS = 5_000;
const DEADLINE_MS = 120_000;
/** Writable, but a count or a command rather than a setting. */
const NO_SETTING = /^(tasks|cgroup\.(?!max\.)|.*(failcnt|usage_in_bytes|force_empty|peak|pressure))/;
const ENVIRONMENT = {
  ...process.env,
  KUBELET_TS_CGROUP: ROOT,
  KUBELET_PORT: process.env['KUBELET_PORT'] ?? '11250',
  KUBELET_HEALTHZ_PORT: process.env['KUBELET_HEALTHZ_PORT'] ?? '11248',
  EXTRA_CONFIG: [
    'systemReserved: { cpu: 150m, memory: 512Mi, pid: "1000" }',
    'kubeReserved: { cpu: 100m, memory: 256Mi }',
    'podPidsLimit: 512',
  ].join('\n'),
};

/** `cgroup file` to value. */
type Snapshot = ReadonlyMap<string, string>;

async function snapshot(kind: 'upstream' | 'ours', manifests: string): Promise<Snapshot> {
  await kubelet('down', 'standalone');
  await kubelet('up', `${kind}-standalone`, '--manifests', manifests);
  try {
    await untilAllRun();
    await delay(SETTLE_MS);
    return await readAll();
  } finally {
    await kubelet('down', 'standalone');
  }
}

function kubelet(...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(KUBELET, args, { stdio: ['ignore', 'inherit', 'inherit'], env: ENVIRONMENT });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`kubelet.sh ${args.join(' ')} ended with ${code}`)),
    );
  });
}

/** A pod runs when its sandbox and every lasting container have a cgroup of their own below that of the pod. */
async function untilAllRun(): Promise<void> {
  const until = performance.now() + DEADLINE_MS;
  for (;;) {
    const missing: string[] = [];
    const cgroups = await listCgroups();
    for (const { name, uid } of SHAPES) {
      const path = cgroups.find((cgroup) => cgroup.endsWith(`/pod${uid}`));
      const below = path === undefined ? [] : await listChildren(join(hierarchy('memory'), path));
      if (below.length < 2) missing.push(name);
    }
    if (missing.length === 0) return;
    if (performance.now() > until) throw new Error(`these pods do not run: ${missing.join(', ')}`);
    await delay(500);
  }
}

async function readAll(): Promise<Snapshot> {
  const values = new Map<string, string>();
  const controllers = isUnified ? [''] : ['cpu', 'memory', 'pids', 'cpuset', 'hugetlb'];
  for (const cgroup of await listCgroups()) {
    for (const controller of controllers) {
      const directory = join(hierarchy(controller), cgroup);
      for (const file of await readdir(directory).catch(() => [])) {
        const { mode } = await stat(join(directory, file));
        if ((mode & 0o170000) !== 0o100000 || (mode & 0o600) !== 0o600 || NO_SETTING.test(file)) continue;
        const value = await readFile(join(directory, file), 'utf8').catch((error: Error) => error.message);
        values.set(`${toPlainName(cgroup)} ${file}`, value.trim().replaceAll('\n', '; '));
      }
    }
  }
  return values;
}

/** The cgroup of all pods, the tiers and the pods, below the mount of any controller. */
async function listCgroups(): Promise<string[]> {
  const found = [ALL_PODS];
  for (const parent of [ALL_PODS, `${ALL_PODS}/burstable`, `${ALL_PODS}/besteffort`]) {
    const children = await listChildren(join(hierarchy('memory'), parent));
    found.push(...children.map((child) => `${parent}/${child}`));
  }
  return found;
}

/** With the name of the pod instead of its UID, and nothing before the cgroup of all pods. */
function toPlainName(cgroup: string): string {
  const named = SHAPES.reduce((path, { name, uid }) => path.replace(`pod${uid}`, name), cgroup);
  return named.slice(ALL_PODS.length - 'kubepods'.length);
}

const isUnified = await stat(join(MOUNT, 'cgroup.controllers')).then(
  () => true,
  () => false,
);

function hierarchy(controller: string): string {
  return isUnified ? MOUNT : join(MOUNT, controller);
}

async function listChildren(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Prints each difference and answers how many there are. */
function compare(upstream: Snapshot, ours: Snapshot): number {
  const keys = [...new Set([...upstream.keys(), ...ours.keys()])].sort();
  const different = keys.filter((key) => upstream.get(key) !== ours.get(key));
  for (const key of different)
    process.stdout.write(
      `${key}\n  upstream ${upstream.get(key) ?? '(none)'}\n  ours     ${ours.get(key) ?? '(none)'}\n`,
    );
  const cgroups = new Set(keys.map((key) => key.split(' ')[0])).size;
  process.stdout.write(
    `${SHAPES.length} pods, ${cgroups} cgroups, ${keys.length} settings, ${different.length} differ\n`,
  );
  return different.length;
}

const manifests = await mkdtemp(join(tmpdir(), 'cgroup-shapes-'));
try {
  for (const { name, manifest } of SHAPES)
    await writeFile(join(manifests, `${name}.json`), JSON.stringify(manifest));
  const upstream = await snapshot('upstream', manifests);
  const ours = await snapshot('ours', manifests);
  if (process.argv.includes('--show'))
    for (const [key, value] of ours) process.stdout.write(`${key} = ${value}\n`);
  process.exitCode = upstream.size > 0 && compare(upstream, ours) === 0 ? 0 : 1;
} finally {
  await rm(manifests, { recursive: true, force: true });
}
