/** Whether pods can get their cgroups: the version, its controllers, and who makes them. Pure. */
import { type Finding, ok, problem, warning } from './finding.ts';

export interface CgroupFacts {
  readonly version: 1 | 2;
  readonly controllers: readonly string[];
  /** systemd is process 1. */
  readonly hasSystemd: boolean;
  /** Of the configuration. */
  readonly failsOnV1: boolean;
  readonly driver: string;
  /** Undefined where the runtime does not answer, or does not say. */
  readonly runtimeDriver: string | undefined;
}

const NEEDED_V1 = ['cpu', 'cpuacct', 'cpuset', 'memory'];
const NEEDED_V2 = ['cpu', 'cpuset', 'memory'];
/** Limits that pods do without where they are missing. */
const WANTED = ['pids', 'hugetlb'];

export function judgeCgroups(facts: CgroupFacts): Finding[] {
  return [judgeVersion(facts), judgeControllers(facts), judgeDriver(facts)];
}

function judgeVersion({ version, failsOnV1 }: CgroupFacts): Finding {
  const unified = 'boot with systemd.unified_cgroup_hierarchy=1 on the command line of the kernel';
  if (version === 2) return ok('cgroup version', 'version 2');
  return failsOnV1
    ? problem(
        'cgroup version',
        'version 1, which a kubelet of 1.36 refuses',
        `${unified}, or set failCgroupV1: false in the configuration`,
      )
    : warning(
        'cgroup version',
        'version 1, allowed by failCgroupV1: false; Kubernetes will drop it',
        `${unified} when you can`,
      );
}

function judgeControllers({ version, controllers }: CgroupFacts): Finding {
  const subject = 'cgroup controllers';
  const lacks = (names: readonly string[]): string[] => names.filter((name) => !controllers.includes(name));
  const missing = lacks(version === 2 ? NEEDED_V2 : NEEDED_V1);
  const mend =
    version === 2
      ? 'enable them for the root cgroup: systemd does; in a container, delegate them to it (cgroup.subtree_control)'
      : 'mount them below /sys/fs/cgroup (Debian: apt-get install cgroupfs-mount), and remove cgroup_disable= from the command line of the kernel';
  if (missing.length > 0)
    return problem(subject, `missing: ${missing.join(', ')}; the kubelet does not start`, mend);
  const [wanted] = [lacks(WANTED)];
  const rest = wanted.length === 0 ? '' : `; without ${wanted.join(' and ')}, whose limits have no effect`;
  return ok(subject, `${[...controllers].sort().join(', ')}${rest}`);
}

function judgeDriver({ driver, runtimeDriver, hasSystemd }: CgroupFacts): Finding {
  const subject = 'cgroup driver';
  const used = runtimeDriver ?? driver;
  if (used === 'systemd' && !hasSystemd)
    return problem(
      subject,
      `${runtimeDriver === undefined ? 'the configuration' : 'the runtime'} wants systemd, which is not process 1 here`,
      'set cgroupDriver: cgroupfs, and SystemdCgroup = false in containerd (cgroup_manager = "cgroupfs" in CRI-O)',
    );
  if (runtimeDriver === undefined)
    return warning(
      subject,
      `${driver} by the configuration; the runtime does not say which one it uses`,
      `make sure that it is ${driver} there too: two drivers do not see each other’s cgroups`,
    );
  if (runtimeDriver !== driver)
    return warning(
      subject,
      `the configuration says ${driver}, the runtime uses ${runtimeDriver}; the kubelet follows the runtime`,
      `set cgroupDriver: ${runtimeDriver}, for tools that read the configuration`,
    );
  if (used === 'cgroupfs' && hasSystemd)
    return warning(
      subject,
      'cgroupfs beside systemd, which also manages cgroups: under load the two disagree',
      'set SystemdCgroup = true in containerd and cgroupDriver: systemd, when no pods run',
    );
  return ok(subject, `${used}, in the runtime and in the configuration`);
}
