/** Settings and parts of the kernel that a node relies on. Pure. */
import { KERNEL_SETTINGS } from '../../../adapters/linux/machine/kernel-tunables.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export interface KernelFacts {
  /** Values of settings such as `net/ipv4/ip_forward`; undefined where there is none. */
  readonly settings: Readonly<Record<string, number | undefined>>;
  /** As /proc/filesystems has them. */
  readonly fileSystems: readonly string[];
  readonly hasSeccomp: boolean;
  readonly config: {
    /** The kubelet only looks at its settings and does not set them. */
    readonly protects: boolean;
    readonly inCluster: boolean;
    /** A kubelet runs: what it sets is set. */
    readonly isRunning: boolean;
  };
}

const FORWARD = 'net/ipv4/ip_forward';
const BRIDGE = 'net/bridge/bridge-nf-call-iptables';
const USER_NAMESPACES = 'user/max_user_namespaces';
const INSTANCES = 'fs/inotify/max_user_instances';
const WATCHES = 'fs/inotify/max_user_watches';
const PID_MAX = 'kernel/pid_max';
/** The defaults of kernels: fewer were set so. */
const FEW_INSTANCES = 128;
const FEW_WATCHES = 8_192;
const FEW_PIDS = 32_768;

export const LOOKED_AT: readonly string[] = [
  ...KERNEL_SETTINGS.map(([setting]) => setting),
  ...[FORWARD, BRIDGE, USER_NAMESPACES, INSTANCES, WATCHES, PID_MAX],
];

export function judgeKernel(facts: KernelFacts): Finding[] {
  return [
    judgeForwarding(facts),
    judgeBridges(facts),
    judgeOverlay(facts),
    judgeUserNamespaces(facts),
    judgeSeccomp(facts),
    judgeKubeletSettings(facts),
    judgeLimit(facts, 'inotify instances', INSTANCES, FEW_INSTANCES, 512),
    judgeLimit(facts, 'inotify watches', WATCHES, FEW_WATCHES, 524_288),
    judgeLimit(facts, 'process numbers', PID_MAX, FEW_PIDS, 4_194_304),
  ];
}

function judgeForwarding({ settings }: KernelFacts): Finding {
  const subject = 'ip forwarding';
  if (settings[FORWARD] === 1) return ok(subject, 'on');
  return problem(
    subject,
    `off (${nameOf(FORWARD)}): packets of pods do not leave the machine`,
    set(FORWARD, 1),
  );
}

function judgeBridges({ settings, config }: KernelFacts): Finding {
  const subject = 'bridged traffic';
  if (settings[BRIDGE] === 1) return ok(subject, 'passes iptables');
  const state =
    settings[BRIDGE] === undefined ? 'the module br_netfilter is not loaded' : `${nameOf(BRIDGE)} is 0`;
  if (!config.inCluster) return ok(subject, `${state}; only Services of a cluster need it`);
  const mend = `modprobe br_netfilter (and a line with it in /etc/modules-load.d/kubelet.conf), then: ${set(BRIDGE, 1)}`;
  return warning(subject, `${state}: Services may not answer pods on the same bridge`, mend);
}

function judgeOverlay({ fileSystems }: KernelFacts): Finding {
  if (fileSystems.includes('overlay')) return ok('overlay', 'the kernel has the file system of images');
  return warning(
    'overlay',
    'the file system overlay is not loaded: a runtime falls back to copying images, or fails',
    'modprobe overlay (and a line with it in /etc/modules-load.d/kubelet.conf)',
  );
}

function judgeUserNamespaces({ settings }: KernelFacts): Finding {
  const subject = 'user namespaces';
  const most = settings[USER_NAMESPACES];
  if (most !== undefined && most > 0) return ok(subject, `up to ${most}`);
  const mend = most === undefined ? 'use a kernel with CONFIG_USER_NS' : set(USER_NAMESPACES, 15_000);
  return warning(subject, 'none: pods with hostUsers: false cannot run', mend);
}

function judgeSeccomp({ hasSeccomp }: KernelFacts): Finding {
  if (hasSeccomp) return ok('seccomp', 'the kernel can filter system calls');
  return warning(
    'seccomp',
    'missing: profiles of pods cannot be kept',
    'use a kernel with CONFIG_SECCOMP_FILTER',
  );
}

function judgeKubeletSettings({ settings, config }: KernelFacts): Finding {
  const subject = 'kernel settings';
  const differing = KERNEL_SETTINGS.filter(([name, value]) => settings[name] !== value);
  if (differing.length === 0) return ok(subject, 'those that the kubelet wants');
  const shown = differing.map(
    ([name, value]) => `${nameOf(name)} is ${settings[name] ?? 'missing'}, not ${value}`,
  );
  const mend = differing.map(([name, value]) => `${nameOf(name)}=${value}`).join(' ');
  const write = `sysctl -w ${mend}; to keep it, in /etc/sysctl.d/kubelet.conf`;
  if (config.protects)
    return problem(
      subject,
      `${shown.join('; ')}; with protectKernelDefaults the kubelet does not start`,
      write,
    );
  if (config.isRunning)
    return warning(subject, `${shown.join('; ')}, although the kubelet has tried to set it`, write);
  return ok(subject, `the kubelet sets ${differing.map(([name]) => nameOf(name)).join(', ')} at its start`);
}

function judgeLimit(
  { settings }: KernelFacts,
  subject: string,
  name: string,
  least: number,
  better: number,
): Finding {
  const value = settings[name];
  if (value === undefined) return ok(subject, 'not shown by this kernel');
  if (value >= least) return ok(subject, String(value));
  return warning(
    subject,
    `only ${value} (${nameOf(name)}): few for a machine full of pods`,
    set(name, better),
  );
}

function set(name: string, value: number): string {
  return `sysctl -w ${nameOf(name)}=${value}; to keep it, a line in /etc/sysctl.d/kubelet.conf`;
}

function nameOf(path: string): string {
  return path.replaceAll('/', '.');
}
