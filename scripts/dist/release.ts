/**
 * `make dist`: everything of a release in dist/release, for each processor a
 * Debian package, an archive and the executable alone; with them what it is
 * made of and the checksums of it all. Building twice gives the same bytes.
 *
 * usage: [SOURCE_DATE_EPOCH=SECONDS] node scripts/dist/release.ts [--output=DIRECTORY] [x64] [arm64]
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Architecture, DEBIAN_NAMES, toArchitecture } from './architecture.ts';
import { installedSize, makeDeb, makeTarball } from './archive.ts';
import { renderCopyright } from './copyright.ts';
import { type Lock, readLock } from './lock.ts';
import { type PinnedNode, readPinnedNode } from './pinned-node.ts';
import { renderSbom } from './sbom.ts';
import { checkExecutable, makeSingleExecutable } from './single-executable.ts';
import { type ReleaseFiles, stageArchive, stageControl, stagePackage } from './stage.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const NAME = 'kubelet-ts';

interface Build {
  readonly lock: Lock;
  readonly epoch: number;
  readonly output: string;
  /** The version of Kubernetes that it follows. */
  readonly kubernetesVersion: string;
}

const say = (text: string): void => console.log(`[dist] ${text}`);

function kubelet(...args: string[]): string {
  const env = { ...process.env, KUBELET_TS_DIST: '1' };
  return execFileSync(join(ROOT, 'bin', 'kubelet'), args, { encoding: 'utf8', env });
}

/** The time of the last commit, unless the builder says. */
function readEpoch(): number {
  const given = process.env['SOURCE_DATE_EPOCH'];
  const text = given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' });
  const epoch = Number(text.trim());
  if (!Number.isSafeInteger(epoch) || epoch <= 0)
    throw new Error(`SOURCE_DATE_EPOCH must be seconds since 1970, got "${text.trim()}"`);
  return epoch;
}

function renderDebianChangelog({ lock, epoch }: Build): string {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  return [
    `${NAME} (${lock.version}) unstable; urgency=medium`,
    '  * What has changed is in CHANGELOG.md.gz.',
    ` -- ${NAME} maintainers <maintainers@kubelet-ts.invalid>  ${date}\n`,
  ].join('\n\n');
}

function readFiles(build: Build, architecture: Architecture, node: PinnedNode): ReleaseFiles {
  const isOwn = architecture === process.arch;
  return {
    executable: makeSingleExecutable({ root: ROOT, node: node.program, isOwn }),
    manualPage: kubelet('man'),
    completions: {
      bash: kubelet('completion', 'bash'),
      zsh: kubelet('completion', 'zsh'),
      fish: kubelet('completion', 'fish'),
    },
    sbom: renderSbom(build.lock, [architecture], build.epoch),
    copyright: renderCopyright(ROOT, build.lock, node.license),
    changelog: readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'),
    debianChangelog: renderDebianChangelog(build),
  };
}

function release(build: Build, architecture: Architecture, node: PinnedNode): void {
  const { lock, epoch, output, kubernetesVersion } = build;
  const debian = DEBIAN_NAMES[architecture];
  const name = `${NAME}-${lock.version}-linux-${debian}`;
  const files = readFiles(build, architecture, node);
  const work = mkdtempSync(join(tmpdir(), 'kubelet-dist-'));
  try {
    writeFileSync(join(output, name), files.executable);
    chmodSync(join(output, name), 0o755);
    if (architecture === process.arch) checkExecutable(join(output, name));
    stageArchive(join(work, name), files);
    makeTarball(join(work, name), join(output, `${name}.tar.gz`), epoch);
    const root = join(work, 'package');
    stagePackage(root, files);
    stageControl(root, {
      ...{ VERSION: lock.version, ARCHITECTURE: debian, KUBERNETES_VERSION: kubernetesVersion },
      INSTALLED_SIZE: String(installedSize(root)),
    });
    makeDeb(root, join(output, `${NAME}_${lock.version}_${debian}.deb`), epoch);
  } finally {
    rmSync(work, { recursive: true });
  }
}

function writeChecksums(output: string): void {
  const lines = readdirSync(output)
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(output, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(output, 'SHA256SUMS'), lines.join(''));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { output: { type: 'string', default: join(ROOT, 'dist', 'release') } },
});
const wanted = (positionals.length === 0 ? ['x64', 'arm64'] : positionals).map(toArchitecture);
const { output } = values;
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const kubernetesVersion = /v([\d.]+)\+/.exec(kubelet('--version'))?.[1] ?? '';
const build: Build = { lock: readLock(ROOT), epoch: readEpoch(), output, kubernetesVersion };
const made: Architecture[] = [];
for (const architecture of wanted) {
  const node = readPinnedNode(ROOT, build.lock, architecture);
  if (node === undefined) {
    say(`${architecture}: left out, its Node cannot be fetched with npm here; the others are complete`);
    continue;
  }
  say(`${architecture}: executable, archive and Debian package`);
  release(build, architecture, node);
  made.push(architecture);
}
if (made.length === 0) throw new Error('nothing could be built');
writeFileSync(
  join(output, `${NAME}-${build.lock.version}.cdx.json`),
  renderSbom(build.lock, made, build.epoch),
);
writeChecksums(output);
for (const name of readdirSync(output).sort()) say(join(output, name));
