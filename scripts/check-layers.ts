/**
 * Fails when a source breaks the layering of ARCHITECTURE:
 *
 *   main → server, adapters, agent → ports → core → base
 *
 * Imports point down only, between layers and between the folders of a layer
 * (the tables below are the order); layers of the same height never import
 * each other; generated code is for adapters alone; core is pure; rooms that
 * work with volumes make no file calls of their own; and what base has a
 * mechanism for is not done by hand. Prints
 * `file:line rule: what` for every break and exits with 1.
 *
 *   node scripts/check-layers.ts
 */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blankSource } from './blank-source.ts';

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule:
    | 'upward'
    | 'sideways'
    | 'generated'
    | 'outside'
    | 'unknown-layer'
    | 'room'
    | 'pure-core'
    | 'volume-files'
    | 'by-hand';
  readonly message: string;
}

/** Higher may import lower. Generated code is not in the order: it has its own rule. */
const HEIGHT: Readonly<Record<string, number>> = {
  base: 0,
  core: 1,
  ports: 2,
  agent: 3,
  adapters: 3,
  server: 3,
  main: 4,
};

/**
 * The rooms of each layer, lowest first: a room may import those before it.
 * `.` is the folder of the layer, or of a room with rooms in it. Generated code
 * has no rooms.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: ['text', 'async', '.'],
  ports: ['runtime', 'host', 'devices', 'storage', 'cluster', '.'],
  core: [
    ...['api', 'model', 'resources', 'spec', 'volume', 'volume/csi', 'volume/disk', 'volume/flex'],
    ...['pod', 'pod/explain', 'status', 'timeline', 'node-status', 'node'],
    ...[
      'topology',
      'devices',
      'claims',
      'cpus',
      'numa-memory',
      'stats',
      'stats/series',
      'eviction',
      'shutdown',
    ],
    ...['image', 'collection', 'events', 'certificate', 'manifest/field', 'manifest/validate', 'manifest'],
  ],
  agent: [
    ...[
      'events',
      'certificate',
      'runtime',
      'node',
      'assign',
      'claims',
      'devices',
      'desired',
      'image',
      'volume',
      'probe',
      'resources',
    ],
    ...['pod', 'perform', 'timeline', 'stats', 'collection', 'eviction', 'shutdown', 'logs', 'cluster', '.'],
  ],
  adapters: [
    ...[
      'linux',
      'linux/program',
      'linux/storage',
      'linux/mount',
      'linux/files',
      'linux/cgroup',
      'linux/machine',
      'linux/stats',
    ],
    ...[
      'linux/logs',
      'linux/manifest',
      'systemd',
      'tls',
      'h2',
      'grpc',
      'otlp',
      'cri',
      'devices',
      'pods-api',
      'plugin',
      'probe',
      'http',
    ],
    ...['kube/credentials', 'kube/client', 'kube/watch', 'kube/objects', 'kube'],
    ...['volume/place', 'volume/disk', 'volume/flex', 'volume', 'csi'],
  ],
  server: [
    ...['http', 'auth', 'pods', 'debug', 'health', 'logs', 'stats'],
    ...['page/text', 'page/asset', 'page/view', 'page', 'streaming', '.'],
  ],
  main: [
    ...[
      'config',
      'config/cli',
      'config/validate',
      'config/load',
      'cli/ask',
      'cli/show',
      'cli/run',
      'cli/doctor',
      'cli/cp',
      'cli',
      'settings',
      'reload',
      'metrics/pod',
      'metrics',
      'process',
      'identity',
    ],
    ...['launch', 'wire', 'wire/servers', '.'],
  ],
};

/**
 * Where file calls may be made at places behind volumes: a server that is gone
 * holds the thread of a call of node:fs, so these use the storage room alone.
 */
const VOLUME_ROOMS: readonly RegExp[] = [
  /^src\/adapters\/(volume|csi)\//,
  /^src\/adapters\/linux\/(files|mount)\//,
  /^src\/adapters\/linux\/stats\/(measure-tree|file-system-stats|machine-file-systems|tree-meter)\.ts$/,
  /^src\/adapters\/linux\/machine\/file-system-usage\.ts$/,
  /^src\/agent\//,
];

/** Files in those rooms that work elsewhere only, and what of node:fs they need. */
const VOLUME_EXEMPT: Readonly<Record<string, readonly string[]>> = {
  // Directories of the agent and of the administrator, or open ones; inotify has no other way.
  'src/adapters/linux/files/watch-directory.ts': ['watch'],
  'src/adapters/linux/files/directory-watcher.ts': ['stat'],
  // Log directories, at once, only where their disk is this machine's.
  'src/adapters/linux/stats/file-system-stats.ts': ['lstatSync', 'opendirSync'],
};

const FILE_IMPORT = /\bimport\s+(type\b)?([^;'"]*?)\s*\bfrom\s*(['"])(?:node:)?fs(?:\/promises)?\3/g;
const OTHER_FILE_IMPORT =
  /(?:\bimport\s*\(\s*|\brequire\s*\(\s*|\bexport\b[^;'"]*\bfrom\s*)(['"])(?:node:)?fs(?:\/promises)?\1/g;

const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g;

/** What a decision must not do: wait, look at the clock, draw random numbers, touch the process. */
const IMPURE: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/(?<!\.)\b(?:async|await)\b/g, 'waits'],
  [/\bPromise(?:Like)?\b/g, 'knows promises'],
  [/\bDate\.now\b|\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())|\bperformance\.now\b/g, 'reads the clock'],
  [/\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/g, 'draws random numbers'],
  [/\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g, 'starts timers'],
  [/\bprocess\.\w/g, 'touches the process'],
];

/** What base has one mechanism for. */
const BY_HAND: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:add|remove)EventListener\b/g, 'onAbort or abortable of src/base'],
  [/\bnew Set<\(\) => void>/g, 'Emitter of src/base'],
];

/** All breaks of the rules in these sources, in the order given. */
export function checkSources(sources: readonly SourceFile[]): Finding[] {
  return sources.flatMap(checkSource);
}

function checkSource({ path, text }: SourceFile): Finding[] {
  const { withText, codeOnly } = blankSource(text);
  const findings: Finding[] = [];
  const add = (index: number, rule: Finding['rule'], message: string): void => {
    findings.push({ path, line: text.slice(0, index).split('\n').length, rule, message });
  };

  const layer = layerOf(path);
  if (layer !== undefined && layer !== 'gen' && HEIGHT[layer] === undefined)
    add(0, 'unknown-layer', `src/${layer} is no layer`);
  for (const match of withText.matchAll(IMPORT)) {
    const broken = checkImport(path, match[2] ?? '');
    if (broken !== undefined) add(match.index + match[0].length, broken.rule, broken.message);
  }
  if (layer === 'core' && !isTest(path))
    for (const [pattern, what] of IMPURE)
      for (const match of codeOnly.matchAll(pattern)) add(match.index, 'pure-core', `"${match[0]}" ${what}`);
  for (const [index, names] of findFileCalls(path, withText))
    add(index, 'volume-files', `${names} of node:fs: use src/adapters/linux/storage/storage-fs.ts`);
  if (layer !== undefined && layer !== 'base' && !isTest(path))
    for (const [pattern, instead] of BY_HAND)
      for (const match of codeOnly.matchAll(pattern))
        add(match.index, 'by-hand', `"${match[0]}" instead of ${instead}`);
  return findings.sort((a, b) => a.line - b.line);
}

/** Imports of file calls in a room that may have none; types and flags are no calls. */
function findFileCalls(path: string, text: string): (readonly [index: number, names: string])[] {
  if (isTest(path) || !VOLUME_ROOMS.some((room) => room.test(path))) return [];
  const allowed = ['constants', ...(VOLUME_EXEMPT[path] ?? [])];
  const named = [...text.matchAll(FILE_IMPORT)].flatMap(({ 0: whole, 1: isType, 2: clause = '', index }) => {
    const names = clause.replaceAll(/[{}]/g, '').split(',');
    const refused = names.map((name) => name.trim()).filter((name) => !isHarmless(name, allowed));
    return isType !== undefined || refused.length === 0
      ? []
      : [[index + whole.length, refused.join(', ')] as const];
  });
  const others = [...text.matchAll(OTHER_FILE_IMPORT)].map(
    ({ 0: whole, index }) => [index + whole.length, 'the whole'] as const,
  );
  return [...named, ...others];
}

function isHarmless(name: string, allowed: readonly string[]): boolean {
  return name === '' || name.startsWith('type ') || allowed.includes(name);
}

function checkImport(path: string, specifier: string): Pick<Finding, 'rule' | 'message'> | undefined {
  const layer = layerOf(path);
  if (!specifier.startsWith('.')) {
    const impure = layer === 'core' && !isTest(path) && specifier.startsWith('node:');
    return impure ? { rule: 'pure-core', message: `core imports "${specifier}"` } : undefined;
  }
  const target = posix.join(posix.dirname(path), specifier);
  const targetLayer = layerOf(target);
  const importing = `imports ${target}`;
  if (targetLayer === 'gen' && layer !== 'gen' && layer !== 'adapters' && !path.startsWith('test/'))
    return { rule: 'generated', message: `${importing}: generated code is for adapters only` };
  if (isTest(path) || layer === undefined) return undefined;
  if (layer === targetLayer) return compareRooms(layer, path, target, importing);
  if (targetLayer === undefined)
    return { rule: 'outside', message: `${importing}: sources import sources only` };
  if (targetLayer === 'gen') return undefined;
  return compareLayers(layer, targetLayer, importing);
}

function compareLayers(
  layer: string,
  targetLayer: string,
  importing: string,
): Pick<Finding, 'rule' | 'message'> | undefined {
  // Generated code stands on nothing of ours.
  const height = layer === 'gen' ? -1 : (HEIGHT[layer] ?? -1);
  const targetHeight = HEIGHT[targetLayer] ?? Number.POSITIVE_INFINITY;
  if (targetHeight > height) return { rule: 'upward', message: `${layer} ${importing}` };
  if (targetHeight === height)
    return { rule: 'sideways', message: `${importing}: ${layer} and ${targetLayer} do not know each other` };
  return undefined;
}

function compareRooms(
  layer: string,
  path: string,
  target: string,
  importing: string,
): Pick<Finding, 'rule' | 'message'> | undefined {
  const order = ROOMS[layer];
  if (order === undefined) return undefined;
  const [from, to] = [roomOf(path), roomOf(target)];
  if (from === to) return undefined;
  for (const room of [from, to])
    if (!order.includes(room))
      return { rule: 'room', message: `src/${layer}/${room} has no place in the order of rooms` };
  if (order.indexOf(to) < order.indexOf(from)) return undefined;
  return { rule: 'room', message: `${importing}: the room ${from} stands below ${to}` };
}

/** The folder below the layer; `.` for the layer's own. */
function roomOf(path: string): string {
  return posix.relative(posix.join('src', layerOf(path) ?? ''), posix.dirname(path)) || '.';
}

/** The folder below src; undefined for everything else. */
function layerOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/');
}

function main(): number {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const paths = globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root }).sort();
  const findings = checkSources(
    paths.map((path) => ({ path, text: readFileSync(posix.join(root, path), 'utf8') })),
  );
  for (const { path, line, rule, message } of findings) console.error(`${path}:${line} ${rule}: ${message}`);
  if (findings.length === 0) console.log(`layers: ${paths.length} files in order`);
  return findings.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main();
