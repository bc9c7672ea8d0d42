/**
 * What probes and hooks of simulated containers answer. Each handler of a
 * manifest gets a number, which stands in its command or is its port; the
 * book says whose it is and what the container does when it is asked, by the
 * age of the instance:
 *
 *   steady       answers well            late-<ms>   answers well from that age on
 *   fails-<ms>   badly from that age on  slow-<ms>   well, but takes so long
 *   hangs        never answers           flaky       well or badly, as it falls
 */
import type { ProbeKind } from '../../src/core/model/probe-results.ts';
import type { FakeContainer } from '../fakes/fake-machine.ts';
import type { SeededRandom } from '../fakes/seeded-random.ts';

export type Purpose = ProbeKind | 'postStart' | 'preStop';
export type Script = 'steady' | 'hangs' | 'flaky' | `${'late' | 'fails' | 'slow'}-${number}`;

export interface ScriptedHandler {
  readonly uid: string;
  readonly container: string;
  readonly purpose: Purpose;
  readonly script: Script;
}

export interface Reply {
  readonly isGood: boolean;
  /** Infinity never comes. */
  readonly afterMs: number;
}

const FIRST_NUMBER = 20_000;
const COMMAND = 'scripted';
const QUICK_MS = 3;

export class ScriptBook {
  readonly #handlers: ScriptedHandler[] = [];
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** The number of a new handler. */
  write(handler: ScriptedHandler): number {
    return FIRST_NUMBER + this.#handlers.push(handler) - 1;
  }

  read(number: number): ScriptedHandler | undefined {
    return this.#handlers[number - FIRST_NUMBER];
  }

  /** The handler of a command made by `toCommand`. */
  readCommand([program, number]: readonly string[]): ScriptedHandler | undefined {
    return program === COMMAND ? this.read(Number(number)) : undefined;
  }

  /** The scripts a container has for one purpose; none when it has no such handler. */
  scriptOf(uid: string, container: string, purpose: Purpose): Script | undefined {
    return this.#handlers.findLast(
      (other) => other.uid === uid && other.container === container && other.purpose === purpose,
    )?.script;
  }

  /** All handlers of a container in a few words. */
  describe(uid: string, container: string): string {
    const own = this.#handlers.filter((other) => other.uid === uid && other.container === container);
    return own.length === 0 ? '' : `(${own.map(({ purpose, script }) => `${purpose}:${script}`).join(' ')})`;
  }

  reply({ script }: ScriptedHandler, instance: FakeContainer | undefined, nowMs: number): Reply {
    if (instance?.startedAtMs === undefined) return { isGood: false, afterMs: 0 };
    const [kind, ms] = script.split('-');
    const isOld = nowMs - instance.startedAtMs >= Number(ms);
    switch (kind) {
      case 'late':
        return { isGood: isOld, afterMs: QUICK_MS };
      case 'fails':
        return { isGood: !isOld, afterMs: QUICK_MS };
      case 'slow':
        return { isGood: true, afterMs: Number(ms) };
      case 'hangs':
        return { isGood: false, afterMs: Number.POSITIVE_INFINITY };
      case 'flaky':
        return { isGood: this.#random.chance(0.6), afterMs: QUICK_MS };
      default:
        return { isGood: true, afterMs: QUICK_MS };
    }
  }
}

export function toCommand(number: number): readonly string[] {
  return [COMMAND, String(number)];
}
