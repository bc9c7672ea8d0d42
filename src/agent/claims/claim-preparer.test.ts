import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { AgentError } from '../../base/errors.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { ResourceClaim } from '../../core/api/resource-claim.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { noMeter } from '../../ports/agent-meter.ts';
import type { ClaimRef, DraDriver, PreparedClaim } from '../../ports/devices/dra-driver.ts';
import { ClaimPreparer } from './claim-preparer.ts';
import { ClaimStore } from './claim-store.ts';
import { DraDrivers } from './dra-drivers.ts';
import { PodClaims } from './pod-claims.ts';

const never = new AbortController().signal;

class FakeDriver implements DraDriver {
  readonly calls: string[] = [];
  answer: (claim: ClaimRef) => PreparedClaim | undefined = ({ name }) => ({
    devices: [
      { requestNames: ['r'], pool: 'p', device: 'd', cdiIds: [`x.io/d=${name}`], shareId: undefined },
    ],
    error: '',
  });
  undo: (claim: ClaimRef) => string = () => '';

  async prepare(claims: readonly ClaimRef[]): Promise<ReadonlyMap<string, PreparedClaim>> {
    this.calls.push(`prepare ${claims.map(({ name }) => name).join(' ')}`);
    const answers = claims.map((claim) => [claim.uid, this.answer(claim)] as const);
    return new Map(answers.flatMap(([uid, one]) => (one === undefined ? [] : [[uid, one] as const])));
  }

  reach = async (): Promise<void> => {};
  watchHealth: DraDriver['watchHealth'] = async () => {
    throw new AgentError('unimplemented', 'no reports');
  };

  async close(): Promise<void> {}

  async unprepare(claims: readonly ClaimRef[]): Promise<ReadonlyMap<string, string>> {
    this.calls.push(`unprepare ${claims.map(({ name }) => name).join(' ')}`);
    return new Map(claims.map((claim) => [claim.uid, this.undo(claim)]));
  }
}

function claimPod(uid: string, ...claims: readonly string[]): Pod {
  const resources = { claims: claims.map((name) => ({ name })) };
  return samplePod(
    {
      containers: [{ name: 'c', image: 'i', resources }],
      resourceClaims: claims.map((name) => ({ name, resourceClaimName: name })),
    },
    { metadata: { uid: toPodUid(uid), name: uid } },
  );
}

function sampleClaim(
  name: string,
  pods: readonly string[],
  drivers: readonly string[] = ['x.io'],
): ResourceClaim {
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    status: {
      allocation: {
        devices: { results: drivers.map((driver) => ({ request: 'r', driver, pool: 'p', device: 'd' })) },
      },
      reservedFor: pods.map((uid) => ({ resource: 'pods', name: uid, uid })),
    },
  };
}

class Setup {
  readonly files: FakeFiles;
  readonly claims = new Map<string, ResourceClaim>();
  readonly driver = new FakeDriver();
  readonly drivers = new Map<string, DraDriver>([['x.io', this.driver]]);
  readonly store: ClaimStore;
  readonly preparer: ClaimPreparer;
  readonly pods: PodClaims;

  constructor(files = new FakeFiles()) {
    this.files = files;
    const clock = new FakeClock();
    const logger = new RecordingLogger();
    this.store = new ClaimStore({ files, clock, logger, path: '/dra_manager_state' });
    const { store, drivers } = this;
    this.preparer = new ClaimPreparer({
      kit: { clock, logger, meter: noMeter },
      store,
      drivers: { find: (name) => drivers.get(name) },
      readClaim: async (_namespace, name) => this.claims.get(name),
    });
    const connector = { connect: () => this.driver };
    const registered = new DraDrivers({ connector, clock, onGone: () => {}, onRegistered: () => {} });
    this.pods = new PodClaims({ store, preparer: this.preparer, drivers: registered });
  }

  async cdiOf(pod: Pod): Promise<readonly string[]> {
    const [container] = pod.spec.containers;
    assert.ok(container);
    return (await this.pods.readHardware(pod, container, never)).cdiDevices ?? [];
  }
}

describe('ClaimPreparer', () => {
  it('asks a driver once for all claims of a pod, and not again', async () => {
    const setup = new Setup();
    const pod = claimPod('p', 'a', 'b');
    for (const name of ['a', 'b']) setup.claims.set(name, sampleClaim(name, ['p']));
    await setup.preparer.prepare(pod, never);
    await setup.preparer.prepare(pod, never);
    assert.deepEqual(setup.driver.calls, ['prepare a b']);
    assert.deepEqual(await setup.cdiOf(pod), ['x.io/d=a', 'x.io/d=b']);
  });

  it('refuses what is not ready, in the words of upstream, and calls no driver', async () => {
    const cases: [Partial<ResourceClaim> | undefined, string][] = [
      [undefined, 'fetch ResourceClaim a: resourceclaims.resource.k8s.io "a" not found'],
      [{ status: {} }, 'pod p (p) is not allowed to use ResourceClaim a (uid-a)'],
      [
        { status: { reservedFor: [{ resource: 'pods', name: 'p', uid: 'p' }] } },
        'ResourceClaim a: not allocated',
      ],
      [sampleClaim('a', ['p'], ['y.io']), 'DRA driver y.io is not registered'],
    ];
    for (const [claim, why] of cases) {
      const setup = new Setup();
      if (claim !== undefined) setup.claims.set('a', { ...sampleClaim('a', ['p']), ...claim });
      const message = `prepare dynamic resources: ${why}`;
      await assert.rejects(setup.preparer.prepare(claimPod('p', 'a'), never), { message });
      assert.deepEqual(setup.driver.calls, []);
      assert.deepEqual(setup.store.all(), []);
    }
  });

  it('a claim of a template must have been made for this pod', async () => {
    const setup = new Setup();
    const spec = { resourceClaims: [{ name: 'ref', resourceClaimTemplateName: 't' }] };
    const pod = { ...claimPod('p'), spec: { ...claimPod('p').spec, ...spec } };
    await assert.rejects(setup.preparer.prepare(pod, never), {
      message: 'prepare dynamic resources: pod "default/p": ResourceClaim not created yet',
    });
    const made = { ...pod, status: { resourceClaimStatuses: [{ name: 'ref', resourceClaimName: 'a' }] } };
    setup.claims.set('a', sampleClaim('a', ['p']));
    await assert.rejects(setup.preparer.prepare(made, never), {
      message: /ResourceClaim default\/a was not created for Pod default\/p \(Pod is not owner\)/,
    });
    await setup.preparer.prepare({ ...pod, status: { resourceClaimStatuses: [{ name: 'ref' }] } }, never);
    assert.deepEqual(setup.driver.calls, []);
  });

  it('failures of a driver are retried and nothing counts as prepared', async () => {
    const setup = new Setup();
    setup.claims.set('a', sampleClaim('a', ['p']));
    const pod = claimPod('p', 'a');
    const answer = setup.driver.answer;
    setup.driver.answer = () => ({ devices: [], error: 'broken' });
    await assert.rejects(setup.preparer.prepare(pod, never), {
      message: 'prepare dynamic resources: NodePrepareResources failed for ResourceClaim a: broken',
    });
    setup.driver.answer = () => undefined;
    await assert.rejects(setup.preparer.prepare(pod, never), {
      message: 'prepare dynamic resources: NodePrepareResources skipped 1 ResourceClaims',
    });
    assert.equal(setup.store.isPrepared('default/a'), false);
    setup.driver.answer = answer;
    await setup.preparer.prepare(pod, never);
    assert.deepEqual(await setup.cdiOf(pod), ['x.io/d=a']);
  });

  it('a shared claim is taken back with its last pod, once', async () => {
    const setup = new Setup();
    setup.claims.set('a', sampleClaim('a', ['p', 'q']));
    await setup.preparer.prepare(claimPod('p', 'a'), never);
    await setup.preparer.prepare(claimPod('q', 'a'), never);
    assert.deepEqual(setup.driver.calls, ['prepare a']);
    await setup.preparer.unprepare('p');
    assert.deepEqual(setup.driver.calls, ['prepare a']);
    setup.driver.undo = () => 'busy';
    await assert.rejects(setup.preparer.unprepare('q'), {
      message: 'unprepare dynamic resources: NodeUnprepareResources failed for ResourceClaim a: busy',
    });
    assert.equal(setup.store.all().length, 1);
    setup.driver.undo = () => '';
    await setup.preparer.unprepare('q');
    await setup.preparer.unprepare('q');
    assert.deepEqual(setup.driver.calls.slice(1), ['unprepare a', 'unprepare a']);
    assert.deepEqual(setup.store.all(), []);
  });

  it('a pod that comes while a claim is taken back waits and prepares it again', async () => {
    const setup = new Setup();
    setup.claims.set('a', sampleClaim('a', ['p', 'q']));
    await setup.preparer.prepare(claimPod('p', 'a'), never);
    const [back, again] = [setup.preparer.unprepare('p'), setup.preparer.prepare(claimPod('q', 'a'), never)];
    await Promise.all([back, again]);
    assert.deepEqual(setup.driver.calls, ['prepare a', 'unprepare a', 'prepare a']);
    assert.deepEqual([...(setup.store.get('default/a')?.podUids ?? [])], ['q']);
  });

  it('after a restart it is known which pod uses which claim, and drivers are asked once more', async () => {
    const first = new Setup();
    first.claims.set('a', sampleClaim('a', ['p']));
    const pod = claimPod('p', 'a');
    await first.preparer.prepare(pod, never);
    const next = new Setup(first.files);
    await next.store.load();
    assert.deepEqual(next.store.all(), first.store.all());
    next.claims.set('a', sampleClaim('a', ['p']));
    assert.deepEqual(await next.cdiOf(pod), ['x.io/d=a']);
    assert.deepEqual(next.driver.calls, ['prepare a']);
    await next.preparer.unprepare('p');
    assert.deepEqual(next.store.all(), []);
  });

  it('a claim that another object with its name is cached for is refused', async () => {
    const setup = new Setup();
    setup.claims.set('a', sampleClaim('a', ['p']));
    await setup.preparer.prepare(claimPod('p', 'a'), never);
    const other = sampleClaim('a', ['q']);
    setup.claims.set('a', { ...other, metadata: { ...other.metadata, uid: 'other' } });
    await assert.rejects(setup.preparer.prepare(claimPod('q', 'a'), never), {
      message: /old ResourceClaim with same name a and different UID uid-a still exists/,
    });
  });

  it('a damaged checkpoint stops the agent', async () => {
    const files = new FakeFiles();
    await files.writeFile('/dra_manager_state', '{"Data":"{}","Checksum":1}', 0o600);
    await assert.rejects(new Setup(files).store.load(), { message: /checkpoint is corrupted/ });
  });
});

describe('DraDrivers', () => {
  it('registers the newest endpoint, and reports a driver that is gone for half a minute', async () => {
    const clock = new FakeClock();
    const gone: string[] = [];
    const made: string[] = [];
    let connection: (isConnected: boolean) => void = () => {};
    const connector = {
      connect: (
        driver: string,
        endpoint: string,
        service: string,
        onConnection: (isConnected: boolean) => void,
      ) => {
        connection = onConnection;
        made.push(`${driver} ${endpoint} ${service}`);
        const silent = async (): Promise<void> => {
          throw new AgentError('unavailable', 'no answer');
        };
        return Object.assign(new FakeDriver(), { reach: silent });
      },
    };
    const drivers = new DraDrivers({
      connector,
      clock,
      onGone: (name) => gone.push(name),
      onRegistered: () => {},
    });
    const plugin = (endpoint: string, ...supportedVersions: string[]) => ({
      name: 'x.io',
      endpoint,
      supportedVersions,
    });
    assert.match(drivers.validate(plugin('/a')) ?? '', /^empty list of supported gRPC services/);
    assert.equal(
      drivers.validate(plugin('/a', 'v9')),
      'none of services supported by the plugin (["v9"]) are supported by the kubelet (["v1.DRAPlugin" "v1beta1.DRAPlugin"])',
    );
    const first = plugin('/a', 'v1beta1.DRAPlugin', 'v1.DRAPlugin');
    await drivers.register(first);
    assert.equal(drivers.validate(first), 'endpoint /a already registered for DRA driver plugin x.io');
    await drivers.register(plugin('/b', 'v1.DRAPlugin'));
    assert.deepEqual(made, ['x.io /a v1beta1.DRAPlugin', 'x.io /b v1.DRAPlugin']);
    await drivers.deregister(first);
    assert.ok(drivers.find('x.io'));
    await drivers.deregister(plugin('/b'));
    assert.equal(drivers.find('x.io'), undefined);
    await clock.advance(29_000);
    await drivers.register(first);
    await clock.advance(60_000);
    assert.deepEqual(gone, []);
    await drivers.deregister(first);
    await clock.advance(30_000);
    assert.deepEqual(gone, ['x.io']);
    await drivers.register(first);
    connection(false);
    await clock.advance(20_000);
    connection(true);
    await clock.advance(60_000);
    assert.deepEqual(gone, ['x.io']);
    connection(false);
    await clock.advance(30_000);
    assert.deepEqual(gone, ['x.io', 'x.io']);
    assert.ok(drivers.find('x.io'), 'a driver that does not answer is still registered');
    drivers.close();
  });
});
