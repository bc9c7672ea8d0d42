/**
 * What programs of the host may be called with. Each has a line: its options,
 * the pattern of each option's value and of what is no option. A call that
 * does not fit is refused before anything starts, so text of a pod, a volume
 * or a caller can neither be an option nor end a line in a file that the
 * program writes. A program without a line is not started at all.
 */
import { basename } from 'node:path';

/** No option, no control characters: a path or a source of a mount. */
const NO_OPTION = /^[^-\s\p{Cc}][^\p{Cc}]*$/u;
const ABSOLUTE = /^\/[^\p{Cc}]*$/u;
const VALUE = /^[^\p{Cc}]*$/u;
/** A helper of mount(8) is looked up by it; those of FUSE run any program that the type names. */
const FILE_SYSTEM_TYPE = /^(?!fuse)[a-z0-9][a-z0-9_+-]{0,62}$/i;
const ISCSI_NAME = /^[\w[][\w.:[\]%-]*$/;

export interface ProgramSyntax {
  /** Options without a value of their own, or with it in one word. */
  readonly flags?: readonly (string | RegExp)[];
  /** Options whose value is the next argument. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** Everything else. */
  readonly operands?: RegExp;
  /** Operands stand behind `--`: needed where their pattern alone does not keep them from being options. */
  readonly dashes?: true;
  /** The program has ended by then or is killed; absent where the work takes as long as it takes. */
  readonly timeoutMs?: number;
}

const QUICK_MS = 60_000;

/** Looks only: what changes is written to the input of iptables-restore. */
const IPTABLES: ProgramSyntax = {
  flags: ['!'],
  values: {
    '-w': /^\d$/,
    '-S': /^[A-Z-]+$/,
    '-C': /^[A-Z-]+$/,
    '-t': /^(mangle|nat|filter)$/,
    '-j': /^[A-Z][A-Z-]*$/,
    '-m': /^(comment|conntrack)$/,
    '--comment': /^[a-z ]+$/,
    '-d': /^[\d./]+$/,
    '-s': /^[\d./]+$/,
    '--ctstate': /^[A-Z,]+$/,
  },
  timeoutMs: QUICK_MS,
};
const IPTABLES_RESTORE: ProgramSyntax = {
  flags: ['--noflush'],
  values: { '-w': /^\d$/ },
  timeoutMs: QUICK_MS,
};

export const PROGRAMS: Readonly<Record<string, ProgramSyntax>> = {
  mount: {
    flags: ['--no-canonicalize', '--bind', '--make-rshared', '-a'],
    values: { '-t': FILE_SYSTEM_TYPE, '-o': /^\w[^\p{Cc}]*$/u, '-T': ABSOLUTE },
    operands: NO_OPTION,
    dashes: true,
  },
  umount: { flags: ['-f', '-l', '--no-canonicalize'], operands: ABSOLUTE, dashes: true },
  losetup: { flags: ['-f', '-d'], operands: ABSOLUTE, timeoutMs: QUICK_MS },
  blkid: {
    flags: ['-p'],
    values: { '-s': /^(PT)?TYPE$/, '-o': /^export$/ },
    operands: ABSOLUTE,
    timeoutMs: QUICK_MS,
  },
  fsck: { flags: ['-a'], operands: ABSOLUTE },
  /** Any `mkfs.<type>`. */
  mkfs: { flags: ['-f', '-F', '-m0'], operands: ABSOLUTE },
  blockdev: { flags: ['--flushbufs'], operands: ABSOLUTE, timeoutMs: QUICK_MS },
  xfs_quota: {
    flags: ['-P/dev/null', '-D/dev/null', '-x'],
    values: {
      '-t': ABSOLUTE,
      '-f': ABSOLUTE,
      '-c': /^(state -p|limit -p bhard=\d+ bsoft=\d+ \d+|project -s -p \/[^\s\p{Cc}"'\\#]* \d+|quota -p -N -n -v -[bi] \d+)$/u,
    },
    timeoutMs: QUICK_MS,
  },
  resize2fs: { operands: ABSOLUTE },
  xfs_growfs: { flags: ['-d'], operands: ABSOLUTE },
  btrfs: { operands: /^(filesystem|resize|max|\/[^\p{Cc}]*)$/u },
  multipath: { flags: ['-f'], operands: ABSOLUTE, timeoutMs: QUICK_MS },
  iscsiadm: {
    flags: ['--discover', '--login', '--logout'],
    values: {
      '-m': /^(iface|discoverydb|node)$/,
      '-o': /^(show|new|update|delete)$/,
      '-t': /^sendtargets$/,
      '-I': ISCSI_NAME,
      '-p': ISCSI_NAME,
      '-T': /^(iqn|eui|naa)\.[^\s\p{Cc}]+$/u,
      '-n': /^[a-z][\w.]*$/,
      '-v': VALUE,
    },
  },
  iptables: IPTABLES,
  ip6tables: IPTABLES,
  'iptables-restore': IPTABLES_RESTORE,
  'ip6tables-restore': IPTABLES_RESTORE,
  flock: { flags: ['-x', '-n'], operands: /^\d+$/ },
  prlimit: { flags: [/^--pid=\d+$/, /^--nofile=\d+:\d+$/], timeoutMs: QUICK_MS },
  getsubids: { flags: ['-g'], operands: /^[a-z]\w*$/, timeoutMs: QUICK_MS },
  'systemd-notify': { operands: /^[A-Z_]+=[^\p{Cc}]*$/u, timeoutMs: QUICK_MS },
  journalctl: {
    flags: [
      '--utc',
      '--no-pager',
      '--pager-end',
      '--output=short-precise',
      '--boot',
      /^--(since|until)=[\d :-]+ UTC$/,
      /^--lines=\d+$/,
      /^--unit=[\w.:@-]+$/,
      /^--grep=[^\p{Cc}]+$/u,
      /^--boot=-?\d+$/,
    ],
    values: { '--field': /^[A-Z_]+$/ },
  },
};

/** The line of a program; undefined when it has none. */
export function syntaxOf(program: string): ProgramSyntax | undefined {
  const name = basename(program);
  if (!name.startsWith('mkfs.')) return Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  const type = program.slice('mkfs.'.length);
  // Never by a path: the type is a volume's word.
  return program.startsWith('mkfs.') && FILE_SYSTEM_TYPE.test(type) ? PROGRAMS['mkfs'] : undefined;
}

/** What does not fit the program's line; undefined when all does. */
export function findArgumentFault(program: string, args: readonly string[]): string | undefined {
  const syntax = syntaxOf(program);
  if (syntax === undefined) return `${JSON.stringify(program)} is no program that may be started`;
  const { flags = [], values = {}, operands, dashes = false } = syntax;
  const isFlag = (word: string): boolean =>
    flags.some((flag) => (typeof flag === 'string' ? flag === word : flag.test(word)));
  let isBehind = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (!isBehind) {
      if (word === '--' && dashes) {
        isBehind = true;
        continue;
      }
      if (isFlag(word)) continue;
      const pattern = Object.hasOwn(values, word) ? values[word] : undefined;
      if (pattern !== undefined) {
        at++;
        if (!pattern.test(args[at] ?? '\0')) return `${JSON.stringify(args[at] ?? '')} cannot follow ${word}`;
        continue;
      }
      if (dashes) return `${JSON.stringify(word)} is no option of ${program}`;
    }
    if (operands?.test(word) !== true) return `${JSON.stringify(word)} is nothing ${program} may be given`;
  }
  return undefined;
}
