/**
 * The files of a release below one directory: as a Debian package has them
 * (`usr`, `etc`), and as the archive for other systems has them.
 */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const PACKAGE = join(import.meta.dirname, 'package');

export interface ReleaseFiles {
  readonly executable: Buffer;
  readonly manualPage: string;
  readonly completions: Readonly<Record<'bash' | 'zsh' | 'fish', string>>;
  readonly sbom: string;
  /** Of the program and of everything in it. */
  readonly copyright: string;
  readonly changelog: string;
  /** What Debian's tools read of it. */
  readonly debianChangelog: string;
}

/** Where the parts of a package go; `usr` is `usr` in a package and nothing in an archive. */
interface Places {
  readonly root: string;
  readonly usr: string;
  readonly doc: string;
}

export function stagePackage(root: string, files: ReleaseFiles): void {
  const places = { root, usr: 'usr', doc: 'usr/share/doc/kubelet-ts' };
  stageProgram(places, files);
  write(root, 'usr/share/man/man1/kubelet.1.gz', compress(files.manualPage));
  write(root, `${places.doc}/CHANGELOG.md.gz`, compress(files.changelog));
  write(root, `${places.doc}/changelog.gz`, compress(files.debianChangelog));
  mkdirSync(join(root, 'etc/kubernetes/manifests'), { recursive: true, mode: 0o755 });
}

export function stageArchive(root: string, files: ReleaseFiles): void {
  const places = { root, usr: '.', doc: 'share/doc/kubelet-ts' };
  stageProgram(places, files);
  write(root, 'share/man/man1/kubelet.1', files.manualPage);
  write(root, 'INSTALL', readFileSync(join(PACKAGE, 'INSTALL')));
}

function stageProgram({ root, usr, doc }: Places, files: ReleaseFiles): void {
  const { executable, completions } = files;
  write(root, `${usr}/bin/kubelet`, executable, 0o755);
  write(root, `${usr}/lib/systemd/system/kubelet.service`, readFileSync(join(PACKAGE, 'kubelet.service')));
  write(root, 'etc/kubernetes/kubelet.yaml', readFileSync(join(PACKAGE, 'kubelet.yaml')));
  write(root, 'etc/default/kubelet', readFileSync(join(PACKAGE, 'kubelet.default')));
  write(root, `${usr}/share/bash-completion/completions/kubelet`, completions.bash);
  write(root, `${usr}/share/zsh/vendor-completions/_kubelet`, completions.zsh);
  write(root, `${usr}/share/fish/vendor_completions.d/kubelet.fish`, completions.fish);
  write(root, `${doc}/copyright`, files.copyright);
  write(root, `${doc}/sbom.cdx.json`, files.sbom);
}

/** The control files of the package; `values` stand for `@NAME@` in them. */
export function stageControl(root: string, values: Readonly<Record<string, string>>): void {
  cpSync(join(PACKAGE, 'debian'), join(root, 'DEBIAN'), { recursive: true });
  const path = join(root, 'DEBIAN', 'control');
  const text = readFileSync(path, 'utf8').replace(/@([A-Z_]+)@/g, (_, name: string) => values[name] ?? '');
  writeFileSync(path, text);
  writeFileSync(join(root, 'DEBIAN', 'md5sums'), renderDigests(root));
  chmodSync(join(root, 'DEBIAN'), 0o755);
  for (const name of ['control', 'conffiles', 'md5sums']) chmodSync(join(root, 'DEBIAN', name), 0o644);
  for (const name of ['postinst', 'prerm', 'postrm']) chmodSync(join(root, 'DEBIAN', name), 0o755);
}

/** Of every file that is not the administrator's, for `dpkg --verify`. */
function renderDigests(root: string): string {
  const names = globSync('usr/**', { cwd: root }).filter((name) => statSync(join(root, name)).isFile());
  const digest = (name: string): string =>
    createHash('md5')
      .update(readFileSync(join(root, name)))
      .digest('hex');
  return names
    .sort()
    .map((name) => `${digest(name)}  ${name}\n`)
    .join('');
}

function write(root: string, name: string, content: string | Buffer, mode = 0o644): void {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, content);
  // Whatever the umask of the builder is.
  chmodSync(path, mode);
}

const compress = (text: string): Buffer => gzipSync(text, { level: 9 });
