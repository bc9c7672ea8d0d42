/**
 * Compares what the upstream kubelet and ours report of the same pods on the
 * same node: `/stats/summary`, `/metrics/cadvisor` and `/metrics/resource`. The
 * upstream kubelet starts the pods and is asked; then ours takes them over as
 * they run and is asked. Every series and field must be there on both sides;
 * settings must be equal, counters must have gone on, the rest must be within
 * what changes by itself. Exit code 0 when all are, except for what is listed
 * below.
 *
 * usage (root): node test/cluster/compare-stats.ts [--keep=DIR]
 *        DIR gets the answers as they came
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { KubeletProcess } from '../../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../../scripts/demo/unmount-below.ts';
import { containerdEndpoint } from '../integration/node.ts';
import { findUpstream, removeDead, until, untilEnded, withRuntime } from './compared-kubelet.ts';
import { readNumbers, readSeries, type Values } from './read-series.ts';
import { STATS_PODS } from './stats-shapes.ts';

const NODE = 'stats';
const READY_MS = 120_000;
/** The upstream kubelet looks at a cgroup every 10 to 30 s; volumes are measured within twice their period by both. */
const SETTLE_MS = 45_000;
/** Two readings of ours, for its rates. */
const BETWEEN_MS = 12_000;

/** Where the two differ on purpose, or by what a machine is. */
const EXPECTED: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/psi\./, 'on cgroup v1 the upstream kubelet shows pressure of zero; ours shows none'],
  [/^container_fs_.*(overlay_|\/sandboxes\/|\/pods\/)/, 'file systems of containers are not the machine’s'],
  [
    /^container_fs_(io_time|read|write)\w*seconds_total/,
    'upstream: milliseconds divided by a billion; ours: seconds',
  ],
  [
    /pgm?a?j?fault.*scope="hierarchy"|[pP]ageFaults$/,
    'ours counts the cgroups below; upstream the cgroup alone',
  ],
  [
    /swapAvailableBytes|container_swap_limit_bytes/,
    'cgroup v1 limits memory and swap together; ours takes the memory off',
  ],
  [/interfaces?[[=]"?(kts|veth|ifb)/, 'bridges of other runtimes come and go'],
];

interface Source {
  readonly path: string;
  readonly read: (text: string) => Values;
}

const SOURCES: readonly Source[] = [
  { path: '/metrics/cadvisor', read: readSeries },
  { path: '/metrics/resource', read: readSeries },
  { path: '/stats/summary', read: (text) => readNumbers(JSON.parse(text)) },
  { path: '/stats/summary?only_cpu_and_memory=true', read: (text) => readNumbers(JSON.parse(text)) },
];

type Answers = ReadonlyMap<string, Values>;

async function runKubelet(kubelet: KubeletProcess, ask: () => Promise<Answers>): Promise<Answers> {
  await kubelet.start();
  try {
    await until('the pods to run', READY_MS, async () => {
      const pods = await kubelet.pods().catch(() => []);
      const running = pods.filter(({ status }) => status.phase === 'Running').length;
      return running === STATS_PODS.length ? undefined : `${running} of ${STATS_PODS.length}`;
    });
    return await ask();
  } finally {
    await kubelet.stop();
  }
}

async function askAll(kubelet: KubeletProcess, keep: string | undefined): Promise<Answers> {
  const answers = new Map<string, Values>();
  for (const { path, read } of SOURCES) {
    const response = await fetch(`http://127.0.0.1:${kubelet.readOnlyPort}${path}`);
    const text = await response.text();
    if (keep !== undefined) {
      await mkdir(keep, { recursive: true });
      await writeFile(join(keep, path.replaceAll(/\W+/g, '_')), text);
    }
    answers.set(path, read(text));
  }
  return answers;
}

/** Both in one directory, so that the second finds the pods of the first. */
async function record(keep: string | undefined): Promise<readonly [upstream: Answers, ours: Answers]> {
  const directory = await mkdtemp(join(tmpdir(), 'compare-stats-'));
  const endpoint = containerdEndpoint();
  const config = {
    makeIPTablesUtilChains: false,
    volumeStatsAggPeriod: '5s',
    imageGCHighThresholdPercent: 100,
    volumePluginDir: join(directory, 'volume-plugins'),
  };
  const settings = { directory, endpoint, nodeName: NODE, config };
  const upstream = new KubeletProcess({
    ...settings,
    program: await findUpstream(),
    // It looks for containers at the usual place otherwise.
    flags: [`--containerd=${endpoint.replace('unix://', '')}`],
  });
  const ours = new KubeletProcess(settings);
  const keepIn = (name: string): string | undefined => (keep === undefined ? undefined : join(keep, name));
  await withRuntime(removeDead);
  try {
    await mkdir(upstream.manifestDir, { recursive: true });
    for (const pod of STATS_PODS) await upstream.writeManifest(`${pod.metadata.name}.json`, pod);
    const first = await runKubelet(upstream, async () => {
      await delay(SETTLE_MS);
      return askAll(upstream, keepIn('upstream'));
    });
    const second = await runKubelet(ours, async () => {
      await askAll(ours, undefined);
      await delay(BETWEEN_MS);
      const found = await askAll(ours, keepIn('ours'));
      for (const pod of STATS_PODS) await ours.removeManifest(`${pod.metadata.name}.json`);
      await withRuntime(untilEnded);
      return found;
    });
    return [first, second];
  } finally {
    await withRuntime(removeDead);
    await removeCgroupRoot(upstream.cgroupRoot);
    await unmountBelow(upstream.rootDir);
    await rm(directory, { recursive: true, force: true });
  }
}

/** Why a value is another than it should be; undefined when it is right. */
function findFault(name: string, theirs: number | undefined, own: number | undefined): string | undefined {
  if (theirs === undefined) return 'only ours';
  if (own === undefined) return 'only upstream';
  if (
    /_spec_|^machine_|_limit_bytes|_max\{|inodes_total|ulimits|capacityBytes|\.inodes$|maxpid|version_info/.test(
      name,
    )
  )
    return theirs === own ? undefined : 'not equal';
  if (/start_time_seconds/.test(name)) return Math.abs(theirs - own) <= 1 ? undefined : 'another time';
  if (/_total\{|_total$|usageCoreNanoSeconds|[rt]x(Bytes|Errors)|failcnt|max_usage/.test(name))
    return own >= theirs ? undefined : 'went back';
  if (/load|tasks_state|health_state|last_seen/.test(name)) return undefined;
  // The machine does other things at the same time.
  if (/id="\/"|^\.node\.|^node_/.test(name)) return undefined;
  return isNear(theirs, own) ? undefined : 'too far apart';
}

function isNear(a: number, b: number): boolean {
  const slack = Math.max(a, b) > 1e5 ? 2 * 1024 ** 2 : 64 * 1024;
  return Math.abs(a - b) <= Math.max(0.3 * Math.max(a, b), slack);
}

/** Prints each difference and answers how many are not expected. */
function compare(upstream: Answers, ours: Answers): number {
  let different = 0;
  const reasons = new Map<string, number>();
  for (const { path } of SOURCES) {
    const [theirs, own] = [upstream.get(path) ?? new Map(), ours.get(path) ?? new Map()];
    const names = [...new Set([...theirs.keys(), ...own.keys()])].toSorted();
    for (const name of names) {
      const fault = findFault(name, theirs.get(name), own.get(name));
      if (fault === undefined) continue;
      const reason = EXPECTED.find(([pattern]) => pattern.test(name))?.[1];
      if (reason !== undefined) {
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        continue;
      }
      different++;
      process.stdout.write(`${fault}: ${name}\n  upstream ${theirs.get(name)}  ours ${own.get(name)}\n`);
    }
    process.stdout.write(`${path}: upstream ${theirs.size} values, ours ${own.size}\n`);
  }
  for (const [reason, count] of reasons) process.stdout.write(`expected (${count}): ${reason}\n`);
  process.stdout.write(`${different} differ\n`);
  return different;
}

const { values } = parseArgs({ options: { keep: { type: 'string' } } });
const [upstream, ours] = await record(values.keep);
process.exitCode = compare(upstream, ours) === 0 ? 0 : 1;
