/**
 * A file system whose server can fall silent, as a dead NFS server does: FUSE,
 * served by a process of our own (fuse-daemon.ts) that is stopped and goes on.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const DAEMON = join(import.meta.dirname, 'fuse-daemon.ts');
const OPTIONS = 'fd=3,rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions';
/** The function of the kernel in which a call waits for the server. */
const WAITING = 'request_wait_answer';

export class FarFileSystem {
  /** Its mount point; holds `part/hello`. */
  readonly path: string;
  readonly source: string;
  readonly #directory: string;
  readonly #pid: number;

  private constructor(directory: string, path: string, source: string, pid: number) {
    this.#directory = directory;
    this.path = path;
    this.source = source;
    this.#pid = pid;
  }

  static get isPossible(): boolean {
    return existsSync('/dev/fuse');
  }

  static async mount(): Promise<FarFileSystem> {
    const directory = await mkdtemp(join(tmpdir(), 'far-'));
    const source = directory.slice(directory.lastIndexOf('/') + 1);
    await using device = await open('/dev/fuse', 'r+');
    const stdio = ['ignore', 'pipe', 'inherit', device.fd] as const;
    const mount = spawn('mount', ['-i', '-t', 'fuse', '-o', OPTIONS, source, directory], {
      stdio: [...stdio],
    });
    const [code] = await once(mount, 'exit');
    if (code !== 0) throw new Error(`mount ended with ${code}`);
    const daemon = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', DAEMON], {
      stdio: [...stdio],
    });
    await once(daemon.stdout ?? daemon, 'data');
    return new FarFileSystem(directory, directory, source, daemon.pid ?? 0);
  }

  /** Every call waits from now on. */
  fallSilent(): void {
    this.#signal('SIGSTOP');
  }

  /** Every call is answered, those that wait as well. */
  answer(): void {
    this.#signal('SIGCONT');
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(this.#pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.answer();
    await promisify(execFile)('umount', ['-l', this.path]).catch(() => {});
    // It ends by itself once nothing uses the mount any more.
    this.#signal('SIGKILL');
    await rm(this.#directory, { recursive: true, force: true });
  }
}

export async function countThreads(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/task`)).length;
}

/** How many threads of a process wait for a server now. */
export async function countWaitingThreads(pid: number): Promise<number> {
  const tasks = `/proc/${pid}/task`;
  const names = await Promise.all(
    (await readdir(tasks)).map((task) => readFile(`${tasks}/${task}/wchan`, 'utf8').catch(() => '')),
  );
  return names.filter((name) => name === WAITING).length;
}
