/** Memory, ports and clock of the machine. Pure. */
import { renderHumanDuration } from '../../../base/text/human-duration.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const GIB = 1024 ** 3;

interface SwapFacts {
  readonly swapBytes: number;
  readonly failsOnSwap: boolean;
}

export function judgeSwap({ swapBytes, failsOnSwap }: SwapFacts): Finding {
  const size = `${(swapBytes / GIB).toFixed(1)}Gi`;
  if (swapBytes === 0) return ok('swap', 'none');
  if (!failsOnSwap) return ok('swap', `${size}, allowed by failSwapOn: false`);
  return problem(
    'swap',
    `${size} is on, and the kubelet refuses to start`,
    'turn it off (swapoff -a, and remove it from /etc/fstab), or set failSwapOn: false',
  );
}

export interface PortFacts {
  readonly port: number;
  /** What sets it. */
  readonly setting: string;
  /** Without it the kubelet does not start. */
  readonly isNeeded: boolean;
  readonly isTaken: boolean;
  /** Undefined when the kernel does not show it. */
  readonly holder: { readonly pid: number; readonly program: string } | undefined;
  /** Of the kubelet with this root directory, where one runs. */
  readonly ownPid: number | undefined;
}

export function judgePort({ port, setting, isNeeded, isTaken, holder, ownPid }: PortFacts): Finding {
  const subject = `port ${port}`;
  if (!isTaken)
    return ownPid === undefined
      ? ok(subject, `free for ${setting}`)
      : warning(
          subject,
          `the kubelet that runs (pid ${ownPid}) does not listen there, although ${setting} says so`,
          'look at its log',
        );
  if (holder !== undefined && holder.pid === ownPid)
    return ok(subject, `the kubelet that runs (pid ${ownPid}) has it`);
  const by =
    holder === undefined
      ? 'by a process that cannot be seen from here'
      : `by process ${holder.pid} (${JSON.stringify(holder.program)})`;
  const mend = `end that process, or set another ${setting}`;
  return isNeeded
    ? problem(subject, `taken ${by}: the kubelet does not start`, mend)
    : warning(subject, `taken ${by}: the kubelet runs without it`, mend);
}

export interface ClockFacts {
  readonly nowMs: number;
  /** Of the machine's own clock; undefined when it has none. */
  readonly hardwareMs: number | undefined;
  /** A program that sets the clock and runs; undefined when none does. */
  readonly service: string | undefined;
  /** That it has reached its servers; undefined when it does not say. */
  readonly isSynchronised: boolean | undefined;
  /** Of this program: no clock is right that is before it. */
  readonly builtMs: number;
}

const MUCH_MS = 60_000;
/** Hardware clocks may run in local time, a multiple of this away. */
const ZONE_MS = 15 * 60_000;
const FARTHEST_ZONE_MS = 14 * 60 * 60_000;

export function judgeClock(facts: ClockFacts): Finding {
  const { nowMs, hardwareMs, service, isSynchronised, builtMs } = facts;
  const subject = 'clock';
  const time = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const set = 'set it by a time service (Debian: apt-get install systemd-timesyncd)';
  if (nowMs < builtMs)
    return problem(
      subject,
      `${time} cannot be right: this kubelet was made later; certificates will not be valid`,
      set,
    );
  const skewMs = hardwareMs === undefined ? 0 : toSkew(nowMs - hardwareMs);
  if (skewMs > MUCH_MS) {
    const away = renderHumanDuration(skewMs);
    return warning(
      subject,
      `${time}, ${away} away from the hardware clock`,
      `${set}, then: hwclock --systohc`,
    );
  }
  if (service === undefined)
    return warning(
      subject,
      `${time}; no time service runs here, so that it may drift from those of others`,
      set,
    );
  if (isSynchronised === false)
    return warning(
      subject,
      `${time}; ${service} runs but is not synchronised`,
      'check that it reaches its servers: timedatectl timesync-status, chronyc tracking',
    );
  return ok(subject, `${time}, set by ${service}`);
}

/** What is left when a time zone is taken away. */
function toSkew(differenceMs: number): number {
  const size = Math.abs(differenceMs);
  if (size > FARTHEST_ZONE_MS + MUCH_MS) return size;
  const rest = size % ZONE_MS;
  return Math.min(rest, ZONE_MS - rest);
}
