// Makes an OCI image archive from a directory, offline: one layer, one manifest, a reference name. The host
// set-up and tests load the archive with `ctr images import`. The same directory and options always give the
// same digests (sorted, epoch-dated entries owned by root), so a rebuild never looks like another image.
//
// usage: node scripts/host/make-image.ts --name REF --rootfs DIR --output FILE [--entrypoint WORD]… [--cmd WORD]…
//        [--user USER] [--workdir DIR] [--env K=V]… [--expose PORT/PROTO]… [--label K=V]…
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface ImageOptions {
  readonly name: string;
  readonly rootfs: string;
  readonly output: string;
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly user?: string;
  readonly workdir?: string;
  readonly env?: readonly string[];
  readonly expose?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const OCI = 'application/vnd.oci.image';

/** The image configuration document: what runs, as whom, with which environment. */
export function toImageConfig(options: ImageOptions, layerDigest: string, architecture: string): object {
  return {
    created: '1970-01-01T00:00:00Z',
    architecture,
    os: 'linux',
    config: {
      ...(options.entrypoint?.length ? { Entrypoint: options.entrypoint } : {}),
      ...(options.cmd?.length ? { Cmd: options.cmd } : {}),
      ...(options.user ? { User: options.user } : {}),
      ...(options.workdir ? { WorkingDir: options.workdir } : {}),
      ...(options.labels ? { Labels: options.labels } : {}),
      ...(options.expose?.length
        ? { ExposedPorts: Object.fromEntries(options.expose.map((port) => [port, {}])) }
        : {}),
      Env: [DEFAULT_PATH, ...(options.env ?? [])],
    },
    rootfs: { type: 'layers', diff_ids: [layerDigest] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'make-image' }],
  };
}

/**
 * Writes the archive to `options.output` (atomically: built beside it, then renamed) and returns the digest of
 * the manifest. Throws if `tar` fails or a path cannot be written; nothing is left behind then.
 */
export function makeImage(options: ImageOptions): string {
  const output = resolve(options.output);
  mkdirSync(dirname(output), { recursive: true });
  const work = mkdtempSync(`${output}.`);
  try {
    const layout = join(work, 'layout');
    mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
    const put = (mediaType: string, content: Buffer): Descriptor => {
      const hash = createHash('sha256').update(content).digest('hex');
      writeFileSync(join(layout, 'blobs/sha256', hash), content);
      return { mediaType, digest: `sha256:${hash}`, size: content.length };
    };
    const putJson = (mediaType: string, value: object) => put(mediaType, Buffer.from(JSON.stringify(value)));

    packDirectory(options.rootfs, join(work, 'layer.tar'));
    const layer = put(`${OCI}.layer.v1.tar`, readFileSync(join(work, 'layer.tar')));
    const config = putJson(`${OCI}.config.v1+json`, toImageConfig(options, layer.digest, ociArchitecture()));
    const mediaType = `${OCI}.manifest.v1+json`;
    const manifest = putJson(mediaType, { schemaVersion: 2, mediaType, config, layers: [layer] });
    const annotations = {
      'io.containerd.image.name': options.name,
      'org.opencontainers.image.ref.name': options.name,
    };
    const index = { schemaVersion: 2, manifests: [{ ...manifest, annotations }] };
    writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
    writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    packDirectory(layout, join(work, 'image.tar'));
    renameSync(join(work, 'image.tar'), output);
    return manifest.digest;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function packDirectory(directory: string, file: string): void {
  const reproducible = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name', '--mtime=@0'];
  execFileSync('tar', ['-C', directory, ...reproducible, '-cf', file, '.'], { stdio: 'pipe' });
}

function ociArchitecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

function parseOptions(args: readonly string[]): ImageOptions {
  const text = { type: 'string' } as const;
  const list = { type: 'string', multiple: true } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      name: text,
      rootfs: text,
      output: text,
      entrypoint: list,
      cmd: list,
      user: text,
      workdir: text,
      env: list,
      expose: list,
      label: list,
    },
  });
  const { name, rootfs, output, label, ...rest } = values;
  if (!name || !rootfs || !output) throw new Error('--name, --rootfs and --output are required');
  const labels = Object.fromEntries((label ?? []).map((pair) => splitPair(pair)));
  return { name, rootfs, output, ...rest, ...(label ? { labels } : {}) };
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}

if (import.meta.main) {
  try {
    console.log(makeImage(parseOptions(process.argv.slice(2))));
  } catch (error) {
    console.error(`cannot make the image: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
