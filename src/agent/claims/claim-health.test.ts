import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { onAbort } from '../../base/async/on-abort.ts';
import { AgentError } from '../../base/errors.ts';
import type { DeviceHealthReport } from '../../core/claims/claim-health.ts';
import type { ClaimInfo } from '../../core/claims/claim-info.ts';
import type { DraDriver } from '../../ports/devices/dra-driver.ts';
import { ClaimHealth } from './claim-health.ts';

const device = (name: string, cdiIds: readonly string[], ...requestNames: string[]) => ({
  requestNames,
  pool: 'p',
  device: name,
  cdiIds,
  shareId: undefined,
});
const info: ClaimInfo = {
  uid: 'u',
  name: 'claim-1',
  namespace: 'default',
  podUids: new Set(['uid-1']),
  drivers: new Map([['x.io', [device('a', ['x.io/d=a'], 'r1'), device('b', [], 'r2')]]]),
};
const pod = samplePod({
  containers: [
    { name: 'all', image: 'i', resources: { claims: [{ name: 'ref' }] } },
    { name: 'one', image: 'i', resources: { claims: [{ name: 'ref', request: 'r2/sub' }] } },
    { name: 'none', image: 'i' },
  ],
  resourceClaims: [{ name: 'ref', resourceClaimName: 'claim-1' }],
});
const report = (name: string, more: Partial<DeviceHealthReport> = {}): DeviceHealthReport => ({
  pool: 'p',
  device: name,
  health: 'Healthy',
  timeoutMs: 0,
  message: '',
  ...more,
});

class Setup {
  readonly clock: FakeClock;
  /** What is on disk. */
  saved: string | undefined;
  writes = 0;
  readonly files = {
    readFile: async () => this.saved,
    writeFile: async (_path: string, content: string | Uint8Array) => {
      this.writes++;
      this.saved = String(content);
    },
  };
  readonly woken: string[] = [];
  readonly stop = new AbortController();
  tries = 0;
  failure: AgentError | undefined;
  send: (reports: readonly DeviceHealthReport[]) => void = () => {};
  breakOff: () => void = () => {};
  readonly health: ClaimHealth;
  readonly makeHealth = () =>
    new ClaimHealth({
      kit: { clock: this.clock, logger: new RecordingLogger() },
      path: '/root/dra_health_state',
      files: this.files,
      store: { all: () => [info], get: (key) => (key === 'default/claim-1' ? info : undefined) },
    });

  constructor(clock = new FakeClock(), saved?: string) {
    this.clock = clock;
    this.saved = saved;
    this.health = this.makeHealth();
    this.health.subscribe((uid) => this.woken.push(uid));
  }

  readonly driver = {
    watchHealth: (onReports: (reports: readonly DeviceHealthReport[]) => void, signal: AbortSignal) => {
      this.tries++;
      if (this.failure !== undefined) return Promise.reject(this.failure);
      this.send = onReports;
      return new Promise<void>((resolve, reject) => {
        this.breakOff = resolve;
        onAbort(signal, () => reject(new AgentError('cancelled', 'stopped')));
      });
    },
  } as unknown as DraDriver;
}

describe('ClaimHealth', () => {
  it('shows what drivers report, by claim or request, until its time is over', async () => {
    const setup = new Setup();
    const done = setup.health.follow('x.io', setup.driver, setup.stop.signal);
    setup.send([report('a'), report('b', { health: 'Unhealthy', message: 'hot', timeoutMs: 60_000 })]);
    assert.deepEqual(setup.woken, ['uid-1']);
    const both = [
      { resourceID: 'x.io/d=a', health: 'Healthy' },
      { resourceID: 'x.io/p/b', health: 'Unhealthy', message: 'hot' },
    ];
    assert.deepEqual(
      [...setup.health.of(pod)],
      [
        ['all', [{ name: 'claim:ref', resources: both }]],
        ['one', [{ name: 'claim:ref/r2/sub', resources: [both[1]] }]],
      ],
    );
    await setup.clock.advance(30_001);
    assert.deepEqual(setup.woken, ['uid-1', 'uid-1']);
    const [first] = setup.health.of(pod).get('all') ?? [];
    assert.deepEqual(
      first?.resources.map(({ health }) => health),
      ['Unknown', 'Unhealthy'],
    );
    await setup.clock.advance(30_000);
    assert.deepEqual(setup.woken, ['uid-1', 'uid-1', 'uid-1'], 'the second report is over as well');
    assert.equal(setup.health.of(pod).get('all')?.[0]?.resources[1]?.health, 'Unknown');
    assert.equal(setup.clock.pendingTimers, 0);
    setup.stop.abort();
    await done;
    setup.health.close();
    assert.equal(setup.clock.pendingTimers, 0);
  });

  it('wakes no pod for a report that says the same, unless the last one was over', async () => {
    const setup = new Setup();
    const done = setup.health.follow('x.io', setup.driver, setup.stop.signal);
    for (let count = 0; count < 5; count++) {
      setup.send([report('a')]);
      await setup.clock.advance(10_000);
    }
    assert.equal(setup.woken.length, 1);
    await setup.clock.advance(30_001);
    assert.equal(setup.woken.length, 2, 'it is over');
    setup.send([report('a')]);
    assert.equal(setup.woken.length, 3, 'and known again');
    setup.stop.abort();
    await done;
    setup.health.close();
  });

  it('asks again when reports break off, and not when there are none', async () => {
    const setup = new Setup();
    const done = setup.health.follow('x.io', setup.driver, setup.stop.signal);
    setup.breakOff();
    await setup.clock.advance(5_000);
    assert.equal(setup.tries, 2);
    setup.failure = new AgentError('unimplemented', 'unknown service');
    setup.breakOff();
    await setup.clock.advance(60_000);
    await done;
    assert.equal(setup.tries, 3);
  });

  it('cuts a message that is too long', () => {
    const setup = new Setup();
    void setup.health.follow('x.io', setup.driver, setup.stop.signal);
    setup.send([report('a', { message: 'x'.repeat(5_000) })]);
    const [entry] = setup.health.of(pod).get('all')?.[0]?.resources ?? [];
    assert.equal(entry?.message?.length, 1_024);
    assert.ok(entry?.message?.endsWith('...'));
    setup.stop.abort();
    setup.health.close();
  });

  it('outlives a restart for as long as it counts', async () => {
    const before = new Setup();
    void before.health.follow('x.io', before.driver, before.stop.signal);
    before.send([report('a', { health: 'Unhealthy', message: 'hot', timeoutMs: 60_000 })]);
    await before.clock.advance(50_000);
    before.send([report('a', { health: 'Unhealthy', message: 'hot', timeoutMs: 60_000 })]);
    await before.clock.advance(0);
    assert.equal(before.writes, 1, 'the same again is not written');
    before.stop.abort();
    await before.health.flush();
    before.health.close();

    const after = new Setup(before.clock, before.saved);
    await after.health.load();
    const first = () => after.health.of(pod).get('all')?.[0]?.resources[0];
    assert.deepEqual(first(), { resourceID: 'x.io/d=a', health: 'Unhealthy', message: 'hot' });
    await after.clock.advance(60_001);
    assert.deepEqual([first()?.health, after.woken], ['Unknown', ['uid-1']]);
    after.health.close();
    assert.equal(after.clock.pendingTimers, 0);
  });

  it('starts without a file that is damaged or cannot be read', async () => {
    const damaged = new Setup(undefined, '{');
    await damaged.health.load();
    assert.equal(damaged.health.of(pod).get('all')?.[0]?.resources[0]?.health, 'Unknown');
    const unreadable = new Setup();
    unreadable.files.readFile = async () => {
      throw new AgentError('unavailable', 'EIO');
    };
    await unreadable.health.load();
    await unreadable.health.flush();
    assert.equal(unreadable.writes, 0);
  });
});
