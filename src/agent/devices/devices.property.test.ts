/**
 * Laws of the device room over random stories: no device belongs to two pods,
 * what a pod gives back can be given again, and a restart changes nothing.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FakeDevicePlugin } from '../../../test/fakes/fake-device-plugins.ts';
import { DeviceRoom, devicePod, RESOURCE, wants } from '../../../test/samples/sample-devices.ts';
import { idsOf } from '../../core/devices/device.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';

type Step =
  | { readonly kind: 'admit'; readonly pod: number; readonly init: number; readonly main: readonly number[] }
  | { readonly kind: 'end'; readonly pod: number }
  | { readonly kind: 'health'; readonly device: number; readonly isHealthy: boolean }
  | { readonly kind: 'refuse'; readonly isRefusing: boolean }
  | { readonly kind: 'restart' };

const RUNS = Number(process.env['CASES'] ?? 150);
const DEVICES = 6;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: admitStep() },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), pod: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('health' as const),
      device: fc.nat(DEVICES - 1),
      isHealthy: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refuse' as const), isRefusing: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

function admitStep(): fc.Arbitrary<Step> {
  return fc.record({
    kind: fc.constant('admit' as const),
    pod: fc.nat(4),
    init: fc.nat(3),
    main: fc.array(fc.nat(3), { minLength: 1, maxLength: 2 }),
  });
}

class World {
  room = new DeviceRoom();
  plugin = new FakeDevicePlugin();
  readonly health = Array.from({ length: DEVICES }, () => true);
  readonly specs = new Map<PodUid, string>();
  isRefusing = false;

  async open(running: readonly string[] = []): Promise<void> {
    this.room = await new DeviceRoom(this.room.files, running, this.room.clock).start();
    this.plugin = new FakeDevicePlugin(this.#devices());
    this.plugin.options = { preStartRequired: false, preferencesAvailable: true };
    this.plugin.prefer = ({ available }) => [...available].reverse();
    this.plugin.beforeAllocate = async () => {
      if (this.isRefusing) throw new Error('no');
    };
    await this.room.host.register(RESOURCE, this.plugin);
  }

  async perform(one: Step): Promise<void> {
    switch (one.kind) {
      case 'admit':
        return this.#admit(one);
      case 'end':
        this.room.pods.release(toPodUid(`p${one.pod}`));
        this.specs.delete(toPodUid(`p${one.pod}`));
        return;
      case 'health':
        this.health[one.device] = one.isHealthy;
        this.plugin.list(this.#devices());
        return;
      case 'refuse':
        this.isRefusing = one.isRefusing;
        return;
      case 'restart':
        return this.#restart();
    }
  }

  check(): void {
    const owners = new Map<string, PodUid>();
    for (const assignment of this.room.ledger.all())
      for (const id of idsOf(assignment)) {
        assert.ok((owners.get(id) ?? assignment.podUid) === assignment.podUid, `${id} belongs to two pods`);
        owners.set(id, assignment.podUid);
      }
    for (const uid of this.room.ledger.pods())
      assert.ok(this.specs.has(uid), `pod ${uid} is over or was refused and has devices`);
    for (const { response } of this.room.ledger.all())
      assert.ok(response !== undefined, 'an assignment was left unanswered');
  }

  async #admit({ pod, init, main }: Extract<Step, { kind: 'admit' }>): Promise<void> {
    const uid = toPodUid(`p${pod}`);
    if (this.specs.has(uid)) return;
    const containers = main.map((count, at) => wants(`c${at}`, count));
    const wanted = devicePod(uid, containers, [wants('init', init)]);
    const free = DEVICES - this.room.ledger.taken(RESOURCE).size;
    const needed = Math.max(
      init,
      main.reduce((sum, count) => sum + count, 0),
    );
    const refusal = await this.room.admit(wanted);
    if (refusal === undefined) this.specs.set(uid, JSON.stringify(wanted));
    const isHealthy = this.health.every(Boolean);
    assert.equal(
      refusal === undefined,
      isHealthy ? needed <= free && !(this.isRefusing && needed > 0) : refusal === undefined,
      `${refusal}, ${needed} of ${free}`,
    );
  }

  async #restart(): Promise<void> {
    const before = this.room.ledger.all();
    await this.room.stop();
    const running = [...this.specs.keys()].flatMap((uid) =>
      ['init', 'c0', 'c1'].map((name) => `${uid}/${name}`),
    );
    await this.open(running);
    assert.deepEqual(this.room.ledger.all().map(describeOne).sort(), before.map(describeOne).sort());
    for (const text of this.specs.values()) assert.equal(await this.room.admit(JSON.parse(text)), undefined);
    assert.deepEqual(this.room.ledger.all().map(describeOne).sort(), before.map(describeOne).sort());
  }

  #devices() {
    return this.health.map((isHealthy, at) => ({ id: `d${at}`, isHealthy, numaNodes: [at % 2] }));
  }
}

function describeOne(one: Parameters<typeof idsOf>[0] & { podUid: string; container: string }): string {
  return `${one.podUid} ${one.container} ${idsOf(one).sort().join(',')}`;
}

describe('devices over random stories', () => {
  it('belong to one pod at a time, come back, and outlive a restart', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const world = new World();
        await world.open();
        for (const one of steps) {
          await world.perform(one);
          world.check();
        }
        await world.room.stop();
      }),
      { numRuns: RUNS },
    );
  });
});
