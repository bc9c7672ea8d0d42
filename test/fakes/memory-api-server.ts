/**
 * An API server in memory for agents on virtual time: the FakeApiClient and
 * its store in one object, with what others do to the objects (put, remove)
 * and with faults by call. Objects go in and come out as copies.
 */
import type { Clock } from '../../src/base/async/clock.ts';
import { onAbort } from '../../src/base/async/on-abort.ts';
import { AgentError, type AgentErrorCode } from '../../src/base/errors.ts';
import type { Logger } from '../../src/base/log.ts';
import { type ApiResource, ApiStatusError } from '../../src/ports/cluster/api-server.ts';
import { type FakeApiCall, FakeApiClient, type FakeApiClientSettings } from './fake-api-client.ts';
import type { JsonObject } from './fake-api-patch.ts';
import { type Collection, toCollection } from './fake-api-path.ts';
import { FakeApiStore } from './fake-api-store.ts';
import { RecordingLogger } from './recording-logger.ts';
import { SeededRandom } from './seeded-random.ts';

export interface MemoryApiServerOptions extends Pick<FakeApiClientSettings, 'timing' | 'answerSubresource'> {
  readonly clock: Clock;
  readonly seed?: number;
  readonly logger?: Logger;
}

/** Calls that have all the given properties. */
export type CallMatch = Partial<Pick<FakeApiCall, 'verb' | 'plural' | 'name' | 'subresource'>>;

interface Fault {
  readonly match: CallMatch;
  readonly does: AgentErrorCode | 'hang';
  left: number;
}

/** Those that the agent distinguishes by the answer and not only by the class. */
const STATUS: Partial<Record<AgentErrorCode, readonly [code: number, reason: string]>> = {
  conflict: [409, 'Conflict'],
  'already-exists': [409, 'AlreadyExists'],
  'not-found': [404, 'NotFound'],
  'permission-denied': [403, 'Forbidden'],
  'too-many-requests': [429, 'TooManyRequests'],
};

export class MemoryApiServer extends FakeApiClient {
  readonly store: FakeApiStore;
  readonly #clock: Clock;
  readonly #faults: Fault[] = [];

  constructor(options: MemoryApiServerOptions) {
    const { clock, seed = 1, logger = new RecordingLogger(), ...rest } = options;
    const store = new FakeApiStore(() => clock.now());
    const random = new SeededRandom(seed);
    super({ ...rest, store, clock, logger, random: () => random.next() });
    this.store = store;
    this.#clock = clock;
    this.intercept = (call) => this.#misbehave(call);
  }

  /** Another client creates the object, or replaces the one of that name whatever its version. */
  put<T = JsonObject>(resource: ApiResource, object: object): T {
    const { name, namespace } = (object as { metadata: { name: string; namespace?: string } }).metadata;
    const of = toPlace(resource, namespace);
    const body = structuredClone(object) as JsonObject;
    delete (body['metadata'] as JsonObject)['resourceVersion'];
    const exists = this.peek(resource, name, namespace) !== undefined;
    return (exists ? this.store.replace(of, name, body) : this.store.create(of, body)) as T;
  }

  /** The object as it is now, without a call that would be counted. */
  peek<T = JsonObject>(resource: ApiResource, name: string, namespace?: string): T | undefined {
    const found = this.store
      .list(toPlace(resource, namespace))
      .find(({ metadata }) => metadata.name === name);
    return found as T | undefined;
  }

  /** Another client deletes the object for good. */
  remove(resource: ApiResource, name: string, namespace?: string): void {
    this.store.delete(toPlace(resource, namespace), name, { gracePeriodSeconds: 0 });
  }

  /** The next `times` calls that match are refused. */
  fail(match: CallMatch, code: AgentErrorCode, times = 1): void {
    this.#faults.push({ match, does: code, left: times });
  }

  /** The next `times` calls that match get no answer before their signal or their time limit. */
  hang(match: CallMatch, times = 1): void {
    this.#faults.push({ match, does: 'hang', left: times });
  }

  /** What was asked, oldest first. */
  callsTo(match: CallMatch): FakeApiCall[] {
    return this.calls.filter((call) => fits(call, match));
  }

  /** Forgets calls and faults; the objects stay. */
  forgetCalls(): void {
    this.calls.length = 0;
    this.#faults.length = 0;
  }

  async #misbehave(call: FakeApiCall): Promise<void> {
    const fault = this.#faults.find(({ match, left }) => left > 0 && fits(call, match));
    if (fault === undefined) return;
    fault.left -= 1;
    if (fault.does === 'hang') return this.#hang(call);
    const action = `${call.verb} ${call.plural} "${call.name ?? ''}"`;
    const [code, reason] = STATUS[fault.does] ?? [];
    const message = `injected ${fault.does}`;
    const cause =
      code === undefined || reason === undefined ? undefined : new ApiStatusError({ code, reason, message });
    throw new AgentError(fault.does, `cannot ${action}: ${message}`, { cause });
  }

  #hang({ verb, plural, options }: FakeApiCall): Promise<never> {
    const { timeoutMs, signal } = options ?? {};
    return new Promise((_, reject) => {
      const end = (code: AgentErrorCode): void => {
        timer?.[Symbol.dispose]();
        reject(new AgentError(code, `cannot ${verb} ${plural}: no answer`));
      };
      const timer =
        timeoutMs === undefined
          ? undefined
          : this.#clock.startTimer(timeoutMs, () => end('deadline-exceeded'));
      onAbort(signal, () => end('cancelled'));
    });
  }
}

function toPlace({ group, version, plural }: ApiResource, namespace?: string): Collection {
  return toCollection(group, version, plural, namespace);
}

function fits(call: FakeApiCall, match: CallMatch): boolean {
  return Object.entries(match).every(([key, value]) => call[key as keyof FakeApiCall] === value);
}
