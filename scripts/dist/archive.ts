/** Directories as archives that depend on nothing but their content: names in order, one time, one owner. */
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, lutimesSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What all files are dated, in seconds; both programs take it from the environment. */
export type Epoch = number;

export function makeTarball(directory: string, output: string, epoch: Epoch): void {
  settle(directory, epoch);
  const order = [
    '--sort=name',
    `--mtime=@${epoch}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--format=gnu',
  ];
  const from = ['-C', dirname(directory), basename(directory)];
  // Level and header by name: gzip would write the time.
  execFileSync('tar', [...order, '--use-compress-program=gzip -n -6', '-cf', output, ...from]);
}

/** One thread: with several the result depends on their number. */
export function makeDeb(directory: string, output: string, epoch: Epoch): void {
  settle(directory, epoch);
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) };
  const args = ['--root-owner-group', '-Zxz', '-z1', '--threads-max=1', '--build', directory, output];
  execFileSync('dpkg-deb', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Kibibytes that the files take, as Debian counts them. */
export function installedSize(directory: string): number {
  const sizes = globSync('**', { cwd: directory }).map((name) => statSync(join(directory, name)));
  return sizes.reduce((sum, stat) => sum + (stat.isFile() ? Math.ceil(stat.size / 1024) : 1), 0);
}

/** One time for everything, and rights of directories that no umask has changed. */
function settle(directory: string, epoch: Epoch): void {
  for (const name of globSync('**', { cwd: directory })) {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) chmodSync(path, 0o755);
    lutimesSync(path, epoch, epoch);
  }
  chmodSync(directory, 0o755);
}
