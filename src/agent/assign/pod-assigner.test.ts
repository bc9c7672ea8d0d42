import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import type { Later } from '../../base/async/later.ts';
import type { Container, Pod } from '../../core/api/pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import type { AllocationFailure } from '../../core/topology/allocation-failure.ts';
import type { AssignmentMeasurement } from '../../core/topology/assignment-measurement.ts';
import type { ResourceHints, TopologyHint } from '../../core/topology/topology-hint.ts';
import type { TopologyPolicy } from '../../core/topology/topology-policy.ts';
import { noMeter } from '../../ports/agent-meter.ts';
import type { HintProvider } from './hint-provider.ts';
import { PodAssigner } from './pod-assigner.ts';

function pod(name: string, containers: readonly string[] = ['main'], init: readonly string[] = []): Pod {
  const named = (names: readonly string[]): Container[] => names.map((one) => ({ name: one, image: 'i' }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name },
    spec: { containers: named(containers), initContainers: named(init) },
  };
}

type Give = (pod: Pod, container: Container, place: TopologyHint) => Later<AllocationFailure | undefined>;

/** Keeps what was given; `give` may refuse or wait. */
class Shelf implements HintProvider {
  readonly name = 'shelf';
  readonly given = new Map<PodUid, string[]>();
  readonly #give: Give;
  readonly #hints: ResourceHints | undefined;
  readonly #wanted: (pod: Pod) => boolean;

  constructor(give: Give, hints?: ResourceHints, wanted: (pod: Pod) => boolean = () => true) {
    this.#give = give;
    this.#hints = hints;
    this.#wanted = wanted;
  }
  concerns(one: Pod): boolean {
    return this.#wanted(one);
  }
  hints(): ResourceHints | undefined {
    return this.#hints;
  }
  podHints(): ResourceHints | undefined {
    return this.#hints;
  }
  allocate(one: Pod, container: Container, place: TopologyHint): Later<AllocationFailure | undefined> {
    const uid = toPodUid(one.metadata.uid);
    this.given.set(uid, [...(this.given.get(uid) ?? []), `${container.name}@${place.nodes}`]);
    return this.#give(one, container, place);
  }
  held(): Iterable<PodUid> {
    return this.given.keys();
  }
  release(uid: PodUid): void {
    this.given.delete(uid);
  }
}

const numa = { nodes: [0, 1], distance: () => 10 };
const policyOf = (name: TopologyPolicy['name'], scope: TopologyPolicy['scope'] = 'container') => ({
  name,
  scope,
  preferClosest: false,
});

function assigner(providers: readonly HintProvider[], policy: TopologyPolicy = policyOf('none')) {
  const measured: AssignmentMeasurement[] = [];
  const meter = { ...noMeter, assigned: (one: AssignmentMeasurement) => void measured.push(one) };
  return { assigner: new PodAssigner({ clock: new FakeClock(), meter, providers, policy, numa }), measured };
}

describe('PodAssigner', () => {
  it('gives to init containers first, at once, and from anywhere without a policy', () => {
    const shelf = new Shelf(() => undefined);
    const result = assigner([shelf]).assigner.assign(pod('a', ['main', 'other'], ['first']));
    assert.equal(result, undefined);
    assert.deepEqual(shelf.given.get(toPodUid('a')), [
      'first@undefined',
      'main@undefined',
      'other@undefined',
    ]);
  });

  it('refuses where no place suits, and counts it', () => {
    const shelf = new Shelf(() => undefined, new Map([['cpu', []]]));
    const made = assigner([shelf], policyOf('single-numa-node'));
    assert.deepEqual(made.assigner.assign(pod('a')), {
      reason: 'TopologyAffinityError',
      message: 'Resources cannot be allocated with Topology locality',
      note: 'it asks for some of cpu from NUMA nodes that the topology policy single-numa-node takes together: too little of cpu is free',
    });
    assert.deepEqual(shelf.given.size, 0);
    assert.deepEqual(
      made.measured.map(({ kind }) => kind),
      ['requested', 'aligned', 'refused', 'admitted'],
    );
  });

  it('gives all containers of a pod the same place in the scope of the pod', () => {
    const shelf = new Shelf(() => undefined, new Map([['cpu', [{ nodes: 2, preferred: true }]]]));
    assert.equal(
      assigner([shelf], policyOf('restricted', 'pod')).assigner.assign(pod('a', ['x', 'y'])),
      undefined,
    );
    assert.deepEqual(shelf.given.get(toPodUid('a')), ['x@2', 'y@2']);
  });

  it('words a failure without a reason as unexpected, and takes back what the pod was given', () => {
    const first = new Shelf(() => undefined);
    const second = new Shelf(() => ({ message: 'no more' }));
    assert.deepEqual(assigner([first, second]).assigner.assign(pod('a')), {
      reason: 'UnexpectedAdmissionError',
      message: 'Allocate failed due to no more, which is unexpected',
    });
    assert.equal(first.given.size + second.given.size, 0);
  });

  it('takes back nothing from a pod that had it before, as after a restart of the agent', () => {
    const shelf = new Shelf(() => ({ message: 'no more' }));
    shelf.given.set(toPodUid('a'), ['main']);
    assert.notEqual(assigner([shelf]).assigner.assign(pod('a')), undefined);
    assert.ok(shelf.given.has(toPodUid('a')));
  });

  it('lets a pod wait for one that is being decided outside, and one that wants nothing pass', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const shelf = new Shelf(
      (one) => (one.metadata.name === 'slow' ? promise : undefined),
      undefined,
      ({ metadata }) => metadata.name !== 'plain',
    );
    const made = assigner([shelf]).assigner;
    const slow = made.assign(pod('slow'));
    const next = made.assign(pod('next'));
    assert.equal(made.assign(pod('plain')), undefined);
    assert.ok(slow instanceof Promise && next instanceof Promise);
    assert.ok(!shelf.given.has(toPodUid('next')));
    resolve(undefined);
    assert.deepEqual(await Promise.all([slow, next]), [undefined, undefined]);
    assert.ok(shelf.given.has(toPodUid('next')));
    assert.equal(made.assign(pod('later')), undefined);
  });

  it('refuses the pod whose provider fails unforeseen, and serves the next', async () => {
    const shelf = new Shelf((one) => {
      if (one.metadata.name === 'thrown') throw new Error('broken');
      return one.metadata.name === 'rejected' ? Promise.reject(new Error('broken')) : undefined;
    });
    const made = assigner([shelf]).assigner;
    for (const name of ['thrown', 'rejected'])
      assert.match((await made.assign(pod(name)))?.message ?? '', /broken/);
    assert.equal(await made.assign(pod('fine')), undefined);
  });

  it('retains only what pods have that are kept', () => {
    const shelf = new Shelf(() => undefined);
    const made = assigner([shelf]).assigner;
    for (const name of ['a', 'b', 'c']) made.assign(pod(name));
    made.retain((uid) => uid === 'b');
    assert.deepEqual([...shelf.given.keys()], ['b']);
  });
});
