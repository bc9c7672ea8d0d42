/**
 * Compares what the upstream kubelet and ours ask of the container runtime
 * for the same static pods: every field of each sandbox and container. One
 * runs after the other, each from nothing, on the private containerd of the
 * tests, behind a proxy that writes the requests down. Exit code 0 when all
 * are equal, except for what is listed below.
 *
 * usage (root): node test/cluster/compare-cri.ts [--config=JSON] [POD…]
 *        JSON is laid over the configuration of both kubelets
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KubeletProcess } from '../../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../../scripts/demo/unmount-below.ts';
import { decodeRecordedRequest } from '../fakes/decode-recorded-request.ts';
import { GrpcProxy } from '../integration/grpc-proxy.ts';
import { containerdEndpoint } from '../integration/node.ts';
import { findUpstream, removeDead, until, untilEnded, withRuntime } from './compared-kubelet.ts';
import { CRI_SHAPES } from './cri-shapes.ts';

const NODE = 'compared';
const DEADLINE_MS = 180_000;

interface Options {
  /** All when empty. */
  readonly names: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
}

/** Where we differ on purpose. */
const EXPECTED: ReadonlyMap<string, string> = new Map([
  [
    'read-only-all a .config.mounts[0].recursiveReadOnly',
    'the upstream kubelet never makes mounts recursively read-only without an API server; ours asks the runtime',
  ],
]);

/** Requests by `pod sandbox` and `pod container`, each field on a line of its own. */
type Requests = ReadonlyMap<string, ReadonlyMap<string, string>>;

async function record(kind: 'upstream' | 'ours', options: Options): Promise<Requests> {
  const { names } = options;
  const directory = await mkdtemp(join(tmpdir(), 'compare-cri-'));
  const seen = new Map<string, ReadonlyMap<string, string>>();
  const listenPath = join(directory, 'proxy.sock');
  const targetPath = containerdEndpoint().replace('unix://', '');
  const isHung = (path: string, request: Buffer): boolean => {
    note(seen, directory, path, request);
    return false;
  };
  const proxy = await GrpcProxy.listen({ listenPath, targetPath, isHung });
  const program = kind === 'ours' ? {} : { program: await findUpstream() };
  const kubelet = new KubeletProcess({
    directory,
    endpoint: `unix://${listenPath}`,
    nodeName: NODE,
    config: {
      clusterDNS: ['192.0.2.53'],
      clusterDomain: 'c.test',
      makeIPTablesUtilChains: false,
      imageGCHighThresholdPercent: 100,
      volumePluginDir: join(directory, 'volume-plugins'),
      maxPods: 200,
      ...options.config,
    },
    ...program,
  });
  await withRuntime(removeDead);
  try {
    await kubelet.start();
    let hasEnded = false;
    void kubelet.ended.then(() => {
      hasEnded = true;
    });
    const shapes = CRI_SHAPES.filter(({ name }) => names.length === 0 || names.includes(name));
    for (const { name, manifest } of shapes) await kubelet.writeManifest(`${name}.json`, manifest);
    const wanted = shapes.flatMap(({ name, containers }) => [
      `${name} sandbox`,
      ...containers.map((container) => `${name} ${container}`),
    ]);
    await until(`${kind} to ask for everything`, DEADLINE_MS, () => {
      if (hasEnded) throw new Error(`${kind} ended: ${kubelet.lines.at(-1)?.msg}`);
      const missing = wanted.filter((key) => !seen.has(key));
      return missing.length === 0 ? undefined : missing.join(', ');
    }).catch((error: Error) => process.stderr.write(`${error.message}\n`));
    for (const { name } of shapes) await kubelet.removeManifest(`${name}.json`);
    await withRuntime(untilEnded);
    return seen;
  } finally {
    await kubelet.stop();
    await withRuntime(removeDead);
    await proxy.close();
    await removeCgroupRoot(kubelet.cgroupRoot);
    await unmountBelow(kubelet.rootDir);
    await rm(directory, { recursive: true, force: true });
  }
}

/** The first request for each counts; later ones are retries. */
function note(
  seen: Map<string, ReadonlyMap<string, string>>,
  directory: string,
  path: string,
  body: Buffer,
): void {
  const request = decodeRecordedRequest(path, body);
  if (request === undefined) return;
  const { pod, container = 'sandbox', message } = request;
  const key = `${pod.replace(new RegExp(`-${NODE}$`), '')} ${container}`;
  if (!seen.has(key)) seen.set(key, toLines(message, directory));
}

/** `path.of.field` to value. Lists whose order means nothing are sorted; what is new each time is blanked. */
function toLines(message: object, directory: string): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    if (value instanceof Uint8Array) lines.set(path, Buffer.from(value).toString());
    else if (Array.isArray(value))
      for (const [i, item] of sortList(path, value).entries()) visit(item, `${path}[${i}]`);
    else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) visit(part, `${path}.${name}`);
    else if (value !== undefined) lines.set(path, blank(path, String(value), directory));
  };
  visit(message, '');
  return lines;
}

function sortList(path: string, list: unknown[]): unknown[] {
  if (path.endsWith('.envs'))
    return (list as { key: string }[]).toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  if (path.endsWith('.dnsConfig.options')) return list.toSorted();
  return list;
}

function blank(path: string, text: string, directory: string): string {
  if (path.endsWith('kubernetes.io/config.seen')) return 'TIME';
  if (path.endsWith('kubernetes.io/config.hash')) return text;
  return text.replaceAll(directory, 'DIR').replace(/(\/containers\/[^/]+\/)[0-9a-f]{8}$/, '$1RANDOM');
}

/** Prints each difference and answers how many there are. */
function compare(upstream: Requests, ours: Requests): number {
  let fields = 0;
  let different = 0;
  for (const key of [...new Set([...upstream.keys(), ...ours.keys()])].toSorted()) {
    const [theirs, own] = [upstream.get(key) ?? new Map(), ours.get(key) ?? new Map()];
    for (const path of [...new Set([...theirs.keys(), ...own.keys()])].toSorted()) {
      fields++;
      if (theirs.get(path) === own.get(path) || EXPECTED.has(`${key} ${path}`)) continue;
      different++;
      const [a, b] = [theirs.get(path) ?? '(none)', own.get(path) ?? '(none)'];
      process.stdout.write(`${key} ${path}\n  upstream ${a}\n  ours     ${b}\n`);
    }
  }
  process.stdout.write(`${upstream.size} requests, ${fields} fields, ${different} differ\n`);
  return different;
}

const { values, positionals } = parseArgs({
  options: { config: { type: 'string', default: '{}' } },
  allowPositionals: true,
});
const options = { names: positionals, config: JSON.parse(values.config) };
const upstream = await record('upstream', options);
const ours = await record('ours', options);
process.exitCode = upstream.size > 0 && compare(upstream, ours) === 0 ? 0 : 1;
