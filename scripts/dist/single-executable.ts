/**
 * The kubelet as one file: a Node with the bundle in it. For the machine that
 * builds it, the bundle is compiled beforehand, as `make build` does; V8's
 * compiled form is of no use to another processor, which compiles at each start.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FIXED_HASHES, withFlagsOf } from './compiled-application.ts';
import { addNote } from './elf-note.ts';

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
const NOTE_NAME = 'NODE_SEA_BLOB';
// Relative to its directory: it names the source in errors, so it must not say where it was built.
const BUNDLE = 'kubelet.cjs';

export interface SingleExecutable {
  /** Has `dist/kubelet.cjs`, as `make build` leaves it, and `bin/kubelet`. */
  readonly root: string;
  /** The Node that the file is made of. */
  readonly node: Buffer;
  /** Whether that Node is the one that builds. */
  readonly isOwn: boolean;
}

export function makeSingleExecutable({ root, node, isOwn }: SingleExecutable): Buffer {
  const directory = join(root, 'dist');
  const flags = [
    '--disable-warning=ExperimentalWarning',
    ...nodeFlags(readFileSync(join(root, 'bin', 'kubelet'), 'utf8')),
  ];
  const application = isOwn ? makeCompiled(directory, flags) : makeApplication(directory, flags, false, []);
  return addNote(lightFuse(node), NOTE_NAME, application);
}

function makeCompiled(directory: string, flags: readonly string[]): Buffer {
  const plain = makeApplication(directory, flags, true, []);
  const fixed = makeApplication(directory, flags, true, [FIXED_HASHES]);
  return withFlagsOf(plain, fixed, readFileSync(join(directory, BUNDLE)));
}

/** What Node wants to find in itself. What V8 compiles is good for one set of flags, so it runs with them. */
function makeApplication(
  directory: string,
  flags: readonly string[],
  useCodeCache: boolean,
  more: readonly string[],
): Buffer {
  const work = mkdtempSync(join(tmpdir(), 'kubelet-dist-'));
  try {
    const output = join(work, 'application');
    const configFile = join(work, 'config.json');
    const config = {
      ...{ main: BUNDLE, output, disableExperimentalSEAWarning: true, useCodeCache },
      // No variable of the environment adds to these.
      ...{ execArgv: flags, execArgvExtension: 'none' },
    };
    writeFileSync(configFile, JSON.stringify(config));
    const args = [...(useCodeCache ? flags : []), ...more, '--experimental-sea-config', configFile];
    execFileSync(process.execPath, args, { cwd: directory, stdio: 'pipe' });
    return readFileSync(output);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** The flags that bin/kubelet gives to Node. */
export function nodeFlags(launcher: string): string[] {
  const list = /^NODE_FLAGS=\$\{NODE_FLAGS:-([^}]*)\}$/m.exec(launcher)?.[1];
  const flags = list?.split(/[\s\\]+/) ?? [];
  if (flags.length === 0 || flags.some((flag) => !flag.startsWith('--')))
    throw new Error('cannot find the flags for Node in bin/kubelet');
  return flags;
}

/** A Node looks for an application only if the digit behind this text is 1. */
function lightFuse(node: Buffer): Buffer {
  const at = node.indexOf(FUSE);
  if (at < 0 || node.indexOf(FUSE, at + 1) >= 0 || node[at + FUSE.length] !== 0x30)
    throw new Error('this Node cannot hold an application');
  const lit = Buffer.from(node);
  lit[at + FUSE.length] = 0x31;
  return lit;
}

/** Throws when the file does not run here, or V8 does not take what was compiled beforehand. */
export function checkExecutable(path: string): void {
  const { stderr, status } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(`"${path} --version" ended with ${status}: ${stderr}`);
}
