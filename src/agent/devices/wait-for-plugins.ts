/**
 * Lets a pod wait for device plugins that were there before: after a restart
 * of the agent they register again within seconds. The wait has an end, also
 * when a plugin registers and goes again and again; then the pod is judged by
 * what there is.
 */
import type { Pod } from '../../core/api/pod.ts';
import type { Kit } from '../../ports/kit.ts';
import type { DeviceResources } from './device-resources.ts';

/** How much longer than announced a pod waits for a plugin that comes and goes. */
const EXTENSION_MS = 30_000;

export interface WaitForPluginsParts {
  readonly kit: Pick<Kit, 'clock' | 'events' | 'logger'>;
  readonly resources: DeviceResources;
}

/** Undefined when there is nothing to wait for. */
export function waitForPlugins(
  { kit, resources }: WaitForPluginsParts,
  pod: Pod,
  wanted: readonly string[],
): Promise<void> | undefined {
  const { clock } = kit;
  const findMissing = (): { readonly names: string[]; readonly untilMs: number } => {
    const now = clock.steady();
    const expected = wanted.flatMap((name) => {
      const untilMs = resources.expectedUntilMs(name) ?? now;
      return untilMs > now ? [{ name, untilMs }] : [];
    });
    return {
      names: expected.map(({ name }) => name),
      untilMs: Math.max(now, ...expected.map(({ untilMs }) => untilMs)),
    };
  };
  const first = findMissing();
  if (first.names.length === 0) return undefined;
  const seconds = Math.ceil((first.untilMs - clock.steady()) / 1000);
  const message = `Waiting up to ${seconds}s for the device plugin of ${first.names.join(', ')} to register again`;
  kit.events.record({ about: { pod }, type: 'Normal', reason: 'WaitingForDevicePlugin', message });
  const endMs = first.untilMs + EXTENSION_MS;
  return new Promise((resolve) => {
    let timer: Disposable | undefined;
    const look = (): void => {
      timer?.[Symbol.dispose]();
      const { names, untilMs } = findMissing();
      const now = clock.steady();
      if (names.length > 0 && now < endMs) {
        timer = clock.startTimer(Math.min(untilMs, endMs) - now, look);
        return;
      }
      watching[Symbol.dispose]();
      resolve();
    };
    const watching = resources.subscribe(look);
    timer = clock.startTimer(first.untilMs - clock.steady(), look);
  });
}
