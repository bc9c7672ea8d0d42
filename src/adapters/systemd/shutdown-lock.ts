/** The unit that holds the inhibitor lock, and how logind shows it. Pure. */

export const LOCK_UNIT = 'kubelet-shutdown-lock.service';

const PROGRAM = '/usr/bin/systemd-inhibit';
const [WHAT, WHO, WHY, MODE] = [
  'shutdown',
  'kubelet',
  'Kubelet needs time to handle node shutdown',
  'delay',
] as const;
/** It holds the lock as long as this runs. */
const HOLDER = ['sleep', 'infinity'] as const;
const RESTART_US = 1_000_000n;

/** A lock of logind. */
export interface Inhibitor {
  readonly what: string;
  readonly who: string;
  readonly mode: string;
  readonly pid: number;
}

/** The answer of `ListInhibitors`; what is not a lock in it is left out. */
export function toInhibitors(answer: unknown): Inhibitor[] {
  if (!Array.isArray(answer)) return [];
  return answer.flatMap((entry: unknown) => {
    if (!Array.isArray(entry)) return [];
    const [what, who, , mode, , pid] = entry as unknown[];
    if (typeof what !== 'string' || typeof who !== 'string' || typeof mode !== 'string') return [];
    return typeof pid === 'number' ? [{ what, who, mode, pid }] : [];
  });
}

/** Whether it may be; whose process it is says the rest. */
export function isOurLock({ what, who, mode }: Inhibitor): boolean {
  return what.split(':').includes(WHAT) && who === WHO && mode === MODE;
}

/** What the unit is made of, as `StartTransientUnit` takes it. */
export function toLockProperties(): unknown[] {
  const options = [`--what=${WHAT}`, `--who=${WHO}`, `--why=${WHY}`, `--mode=${MODE}`];
  const argv = [PROGRAM, ...options, ...HOLDER];
  return [
    ['Description', ['s', 'Holds up the shutdown of the machine until pods have ended']],
    ['ExecStart', ['a(sasb)', [[PROGRAM, argv, false]]]],
    ['Restart', ['s', 'always']],
    ['RestartUSec', ['t', RESTART_US]],
    // A failed one must not keep its name taken.
    ['CollectMode', ['s', 'inactive-or-failed']],
  ];
}
