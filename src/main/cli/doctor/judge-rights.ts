/** Whether this process, and a kubelet started like it, may do what a kubelet does. Pure. */
import { type Finding, ok, problem, warning } from './finding.ts';

export interface RightsFacts {
  /** 0 is root. */
  readonly userId: number;
  /** The capabilities in force, one bit each; undefined when the kernel does not show them. */
  readonly capabilities: bigint | undefined;
  /** Programs that a kubelet calls and that are not in PATH. */
  readonly missingPrograms: readonly string[];
}

/** Their bits, as the kernel numbers them. */
const NEEDED: Readonly<Record<string, bigint>> = {
  CAP_CHOWN: 0n,
  CAP_DAC_OVERRIDE: 1n,
  CAP_KILL: 5n,
  CAP_NET_ADMIN: 12n,
  CAP_SYS_ADMIN: 21n,
};
const SYS_RESOURCE = 24n;

export function judgeRights({ userId, capabilities, missingPrograms }: RightsFacts): Finding[] {
  return [judgeUser(userId, capabilities), judgePrograms(missingPrograms)];
}

function judgeUser(userId: number, capabilities: bigint | undefined): Finding {
  const subject = 'rights';
  if (userId !== 0)
    return problem(
      subject,
      `user ${userId} is not root: containers, cgroups and mounts need root, and much below cannot be seen`,
      'run it as root: sudo kubelet doctor',
    );
  if (capabilities === undefined) return ok(subject, 'root; the kernel does not show its capabilities');
  const missing = Object.keys(NEEDED).filter((name) => !hasBit(capabilities, NEEDED[name] ?? 0n));
  if (missing.length > 0)
    return problem(
      subject,
      `root without ${missing.join(', ')}`,
      'start the machine or the container this is in with these capabilities (privileged)',
    );
  if (!hasBit(capabilities, SYS_RESOURCE))
    return warning(
      subject,
      'root without CAP_SYS_RESOURCE: oom_score_adj cannot be lowered, so that the kernel may kill the pause process of a pod first',
      'grant CAP_SYS_RESOURCE, or set restrict_oom_score_adj = true in the CRI plugin of containerd so that containers start',
    );
  return ok(subject, 'root, with every capability a kubelet uses');
}

function judgePrograms(missing: readonly string[]): Finding {
  if (missing.length === 0) return ok('programs', 'what a kubelet calls is installed');
  const mend = 'install util-linux and mount (Debian: apt-get install util-linux mount)';
  return problem('programs', `not in PATH: ${missing.join(', ')}`, mend);
}

function hasBit(bits: bigint, at: bigint): boolean {
  return ((bits >> at) & 1n) === 1n;
}
