import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import { readSamples as read } from '../../../test/samples/sample-readings.ts';
import type { PublishedStatus } from '../../agent/pod/status-board.ts';
import { AgentError } from '../../base/errors.ts';
import { MetricRegistry } from '../../base/metric-registry.ts';
import { Store } from '../../base/store.ts';
import type { Pod } from '../../core/api/pod.ts';
import type { PodStatus } from '../../core/api/pod-status.ts';
import type { Action } from '../../core/model/actions.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';
import { type PodUid, toPodUid } from '../../core/model/ids.ts';
import { SUBJECT_ACCESS_REVIEWS, TOKEN_REVIEWS } from '../../ports/cluster/api-resource.ts';
import { ApiStatusError } from '../../ports/cluster/api-server.ts';
import type { PodCgroups } from '../../ports/host/cgroups.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { ImageService } from '../../ports/runtime/image-service.ts';
import type { VolumeDriver } from '../../ports/storage/volume-driver.ts';
import { AgentMetrics } from './agent-metrics.ts';
import { addApiMetrics } from './api-metrics.ts';
import { AuthMetrics } from './auth-metrics.ts';
import { CallMetrics, toSizeRange } from './call-metrics.ts';
import { computePullMs } from './meters.ts';
import { PodMetrics } from './pod/pod-metrics.ts';

const START_MS = Date.parse('2026-01-01T00:00:10Z');

/** Each question takes a second. */
function ticking(): { steady: () => number } {
  let nowMs = 0;
  return { steady: () => (nowMs += 1_000) };
}

describe('AgentMetrics', () => {
  const setUp = () => {
    const [registry, probes] = [new MetricRegistry(), new MetricRegistry()];
    const clock = { now: () => 10_000 };
    return {
      registry,
      probes,
      metrics: new AgentMetrics({ registry, probes, clock, seenAtMs: () => 7_000 }),
    };
  };

  it('counts probes by result and forgets those of a pod that is gone', () => {
    const { probes, metrics } = setUp();
    const pod = samplePod({});
    const { namespace, name, uid } = pod.metadata;
    metrics.probed({ kind: 'liveness', pod, container: 'main' }, 'failed', 500);
    const labels = `container=main namespace=${namespace} pod=${name}`;
    assert.deepEqual(read(probes), {
      [`prober_probe_total ${labels} pod_uid=${uid} probe_type=Liveness result=failed`]: 1,
      [`prober_probe_duration_seconds_sum ${labels} probe_type=Liveness`]: 0.5,
      [`prober_probe_duration_seconds_count ${labels} probe_type=Liveness`]: 1,
    });
    metrics.forget(pod.metadata);
    assert.deepEqual(read(probes), {});
  });

  it('counts passes, and from the first how long a pod waited for its worker', () => {
    const { registry, metrics } = setUp();
    metrics.passed(toPodUid('a'), 'create', 1_000);
    metrics.passed(toPodUid('a'), 'sync', 250);
    assert.deepEqual(read(registry), {
      'kubelet_pod_worker_duration_seconds_sum operation_type=create': 1,
      'kubelet_pod_worker_duration_seconds_count operation_type=create': 1,
      'kubelet_pod_worker_duration_seconds_sum operation_type=sync': 0.25,
      'kubelet_pod_worker_duration_seconds_count operation_type=sync': 1,
      kubelet_pod_worker_start_duration_seconds_sum: 2,
      kubelet_pod_worker_start_duration_seconds_count: 1,
    });
  });

  it('counts starts and why they failed', () => {
    const { registry, metrics } = setUp();
    const pod = samplePod({});
    const failure = (reason: string) => ({ reason, message: 'no' });
    metrics.performed({ kind: 'create-sandbox', attempt: 0 }, undefined, pod);
    metrics.performed({ kind: 'create-sandbox', attempt: 1 }, failure('CreatePodSandboxError'), pod);
    const [container] = pod.spec.containers;
    const start = { kind: 'start-container', role: 'sidecar', container } as Action;
    metrics.performed(start, undefined, pod);
    metrics.performed(start, failure('ErrImagePull'), pod);
    metrics.performed({ kind: 'release-pod' }, undefined, pod);
    assert.deepEqual(read(registry), {
      kubelet_started_pods_total: 2,
      kubelet_started_pods_errors_total: 1,
      'kubelet_started_containers_total container_type=init_container': 2,
      'kubelet_started_containers_errors_total code=ErrImagePull container_type=init_container': 1,
    });
  });

  it('counts what happens to hooks', () => {
    const { registry, metrics } = setUp();
    metrics.counted('hook-plain-retry');
    metrics.counted('sleep-cut-short');
    metrics.counted('sleep-cut-short');
    assert.deepEqual(read(registry), {
      kubelet_lifecycle_handler_http_fallbacks_total: 1,
      kubelet_sleep_action_terminated_early_total: 2,
    });
  });

  it('measures listings, the time between them, and the stream of events', () => {
    const { registry, metrics } = setUp();
    metrics.relisted(1_000, 100);
    metrics.relisted(61_000, 100);
    metrics.eventsOpened(20);
    metrics.eventsOpened(undefined);
    const found = read(registry);
    assert.equal(found['kubelet_pleg_relist_duration_seconds_count'], 2);
    assert.equal(found['kubelet_pleg_relist_interval_seconds_sum'], 60);
    assert.equal(found['kubelet_evented_pleg_connection_success_count'], 1);
    assert.equal(found['kubelet_evented_pleg_connection_error_count'], 1);
  });
});

describe('PodMetrics', () => {
  const setUp = () => {
    const registry = new MetricRegistry();
    let nowMs = START_MS;
    const clock = { now: () => nowMs };
    const records = new Store<PodUid, DesiredPod>();
    const published = new Store<PodUid, PublishedStatus>();
    const gone: string[] = [];
    const metrics = new PodMetrics({ registry, clock, startedAtMs: START_MS });
    metrics.follow({
      records,
      published,
      pullMs: () => 2_000,
      onGone: ({ metadata }) => gone.push(metadata.name),
    });
    const want = (pod: Pod, more: Partial<DesiredPod> = {}): PodUid => {
      const uid = toPodUid(pod.metadata.uid);
      records.set(uid, { uid, pod, source: 'api', order: 0, ...more });
      return uid;
    };
    const publish = (uid: PodUid, status: PodStatus, mayRun = true): void => {
      const pod = records.get(uid)?.pod;
      assert.ok(pod);
      published.set(uid, { pod, status, mayRun });
    };
    const at = (seconds: number): string => new Date(START_MS + seconds * 1000).toISOString();
    return { metrics, registry, records, gone, want, publish, at, pass: (ms: number) => (nowMs += ms) };
  };
  const created = (pod: Pod, creationTimestamp: string): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, creationTimestamp },
  });

  it('measures a start once: from first sight, since creation, and without pulls and init containers', () => {
    const t = setUp();
    const uid = t.want(created(samplePod({}), t.at(-4)));
    t.publish(uid, { phase: 'Pending' });
    t.pass(6_000);
    const status: PodStatus = {
      phase: 'Running',
      initContainerStatuses: [
        {
          name: 'init',
          state: {
            terminated: { exitCode: 0, containerID: 'c://1', startedAt: t.at(1), finishedAt: t.at(4) },
          },
        },
      ] as unknown as NonNullable<PodStatus['initContainerStatuses']>,
      containerStatuses: [
        { name: 'main', state: { running: { startedAt: t.at(5) } } },
      ] as unknown as NonNullable<PodStatus['containerStatuses']>,
    };
    t.publish(uid, status);
    t.pass(1_000);
    t.publish(uid, { ...status });
    const found = read(t.registry);
    assert.equal(found['kubelet_pod_start_duration_seconds_sum'], 6);
    assert.equal(found['kubelet_pod_start_total_duration_seconds_sum'], 10);
    assert.equal(found['kubelet_pod_start_sli_duration_seconds_sum'], 10 - 2 - 3);
    assert.equal(found['kubelet_pod_start_duration_seconds_count'], 1);
    const ended = 'kubelet_terminated_containers_total container_type=init_container exit_code=0 reason=';
    assert.equal(found[ended], 1);
    assert.equal(found['kubelet_containers_per_pod_count_sum'], 1);
  });

  it('waits with the time since creation until every container has started', () => {
    const t = setUp();
    const uid = t.want(created(samplePod({}), t.at(0)));
    const running = (name: string) => ({ name, state: { running: { startedAt: t.at(1) } } });
    const status = (...containerStatuses: object[]) =>
      ({ phase: 'Running', containerStatuses }) as unknown as PodStatus;
    t.pass(3_000);
    t.publish(uid, status(running('a'), { name: 'b', state: { waiting: {} } }));
    t.pass(4_000);
    t.publish(uid, status(running('a'), running('b')));
    const found = read(t.registry);
    assert.equal(found['kubelet_pod_start_duration_seconds_sum'], 3);
    assert.equal(found['kubelet_pod_start_total_duration_seconds_sum'], 7);
    assert.equal(found['kubelet_pod_start_sli_duration_seconds_sum'], 7 - 2);
  });

  const kinds: readonly (readonly [
    string,
    (pod: Pod) => Pod,
    sli: number | undefined,
    first: number | undefined,
  ])[] = [
    ['a plain pod', (pod) => pod, 5 - 2, 5 - 2],
    [
      'a pod on the network of the host',
      (pod) => ({ ...pod, spec: { ...pod.spec, hostNetwork: true } }),
      5 - 2,
      undefined,
    ],
    [
      'a pod with an emptyDir',
      (pod) => ({ ...pod, spec: { ...pod.spec, volumes: [{ name: 'v', emptyDir: {} }] } }),
      5 - 2,
      5 - 2,
    ],
    [
      'a pod with a claim',
      (pod) => ({
        ...pod,
        spec: { ...pod.spec, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
      }),
      undefined,
      undefined,
    ],
    [
      'a pod that was unschedulable at first',
      (pod) => ({ ...pod, status: { conditions: [{ type: 'PodScheduled', status: 'False' }] } }),
      undefined,
      undefined,
    ],
  ];
  for (const [what, shape, sli, first] of kinds)
    it(`measures the start of ${what} where it says something about the node`, () => {
      const t = setUp();
      const uid = t.want(shape(created(samplePod({}), t.at(0))));
      t.pass(5_000);
      const running = [{ name: 'main', state: { running: { startedAt: t.at(1) } } }];
      t.publish(uid, { phase: 'Running', containerStatuses: running } as unknown as PodStatus);
      const found = read(t.registry);
      assert.equal(found['kubelet_pod_start_total_duration_seconds_sum'], 5);
      assert.equal(found['kubelet_pod_start_sli_duration_seconds_sum'], sli);
      assert.equal(found['kubelet_first_network_pod_start_sli_duration_seconds'], first);
    });

  it('counts a pod that comes back as soon as it is gone, not one that comes back later', async () => {
    const t = setUp();
    const uid = t.want(samplePod({}));
    t.records.delete(uid);
    t.want(samplePod({}));
    t.records.delete(uid);
    await Promise.resolve();
    t.want(samplePod({}));
    assert.equal(read(t.registry)['kubelet_restarted_pods_total static='], 1);
  });

  it('counts the pods that have to make room by what is short', () => {
    const { metrics, registry } = setUp();
    const victims = [samplePod({}), samplePod({})];
    const answers = [
      { ok: true, victims: [] },
      { ok: true, victims, shortage: 'cpu' },
      { ok: false, reason: 'OutOfcpu', message: 'no' },
    ] as const;
    for (const answer of answers) assert.equal(metrics.admissions(() => answer)(), answer);
    assert.deepEqual(read(registry), { 'kubelet_preemptions preemption_signal=cpu': 2 });
  });

  it('does not take pods of an earlier agent for started ones', () => {
    const t = setUp();
    const uid = t.want(samplePod({}), { source: 'file' });
    const running = [{ name: 'main', state: { running: { startedAt: t.at(-60) } } }];
    t.publish(uid, { phase: 'Running', containerStatuses: running } as unknown as PodStatus);
    assert.equal(read(t.registry)['kubelet_pod_start_duration_seconds_count'], undefined);
  });

  it('counts pods by source and phase, and those that are gone', () => {
    const t = setUp();
    const termination = { cause: 'removed', requestedAtMs: 0, graceSeconds: 0 } as const;
    const uid = t.want(samplePod({}));
    const other = samplePod({});
    t.want({ ...other, metadata: { ...other.metadata, uid: 'b', name: 'b' } }, { termination });
    t.want(
      { ...other, metadata: { ...other.metadata, uid: 'c', name: 'c' } },
      { source: 'runtime', termination },
    );
    const working = (): Record<string, number> =>
      Object.fromEntries(Object.entries(read(t.registry)).filter(([name]) => name.includes('working')));
    assert.deepEqual(working(), {
      'kubelet_working_pods config=desired lifecycle=sync static=': 1,
      'kubelet_working_pods config=orphan lifecycle=terminating static=': 1,
      'kubelet_working_pods config=runtime_only lifecycle=terminating static=unknown': 1,
    });
    assert.equal(read(t.registry)['kubelet_orphaned_runtime_pods_total'], 1);
    t.publish(uid, { phase: 'Succeeded' }, false);
    assert.equal(working()['kubelet_working_pods config=desired lifecycle=terminated static='], 1);
    assert.equal(read(t.registry)['kubelet_active_pods static='], 1);
    const verdict = { reason: 'OutOfcpu', message: 'no' };
    const rejected = { cause: 'rejected', requestedAtMs: 0, graceSeconds: 0, verdict } as const;
    for (const graceSeconds of [0, 1]) t.want(samplePod({}), { termination: { ...rejected, graceSeconds } });
    assert.equal(read(t.registry)['kubelet_admission_rejections_total reason=OutOfcpu'], 1);
    t.records.delete(toPodUid('b'));
    assert.deepEqual(t.gone, ['b']);
  });
});

describe('CallMetrics', () => {
  it('times sandboxes, pulls by size, cgroups and volumes, with their failures', async () => {
    const registry = new MetricRegistry();
    const metrics = new CallMetrics(registry, ticking());
    let broken = false;
    const runtime = metrics.runtime({
      runSandbox: async () => {
        if (broken) throw new AgentError('unavailable', 'no');
        return 'sandbox';
      },
    } as unknown as ContainerRuntime);
    await runtime.runSandbox({} as never, 'kata');
    broken = true;
    await assert.rejects(runtime.runSandbox({} as never, 'kata'));
    const images = metrics.images({
      pullImage: async () => 'id',
      imageStatus: async () => ({ sizeBytes: 20 * 1024 * 1024 }),
    } as unknown as ImageService);
    await images.pullImage('app:1');
    const cgroups = metrics.cgroups({
      ensure: async () => ({ warnings: [], hadParent: true }),
      exists: async () => true,
    } as unknown as PodCgroups);
    await cgroups.ensure('/a');
    await cgroups.exists('/a');
    const driver = metrics.volumes({
      plugin: 'kubernetes.io/x',
      mount: async () => ({ ok: false, message: 'no' }),
      unmount: async () => {},
    } as unknown as VolumeDriver);
    await driver.mount({} as never);
    await driver.unmount({} as never);
    const counts = Object.entries(read(registry)).filter(([name]) => !name.includes('_sum'));
    assert.deepEqual(Object.fromEntries(counts), {
      'kubelet_run_podsandbox_duration_seconds_count runtime_handler=kata': 2,
      'kubelet_run_podsandbox_errors_total runtime_handler=kata': 1,
      'kubelet_image_pull_duration_seconds_count image_size_in_bytes=10MB-100MB': 1,
      'kubelet_cgroup_manager_duration_seconds_count operation_type=create': 1,
      'storage_operation_duration_seconds_count migrated=false operation_name=volume_mount status=fail-unknown volume_plugin=kubernetes.io/x': 1,
      'storage_operation_duration_seconds_count migrated=false operation_name=volume_unmount status=success volume_plugin=kubernetes.io/x': 1,
    });
  });

  it('measures volumes and devices, under the name of the storage driver while that is known', async () => {
    const registry = new MetricRegistry();
    const metrics = new CallMetrics(registry, ticking());
    const driver = metrics.volumes({
      plugin: 'kubernetes.io/csi',
      mount: async () => ({ ok: true }),
      unmount: async () => {},
      block: { map: async () => ({ ok: true }), unmap: async () => {} },
    } as unknown as VolumeDriver);
    const place = { podUid: 'u', name: 'v' };
    await driver.mount({ ...place, volume: { name: 'v', csi: { driver: 'd.example' } } } as never);
    await driver.unmount(place as never);
    await driver.unmount(place as never);
    await driver.block?.map({
      ...place,
      persistent: { volume: { spec: { csi: { driver: 'e.example' } } } },
    } as never);
    await driver.block?.unmap(place as never);
    const counted = Object.keys(read(registry)).filter((name) => name.includes('_count'));
    const of = (operation: string, plugin: string): string =>
      `storage_operation_duration_seconds_count migrated=false operation_name=${operation} status=success volume_plugin=${plugin}`;
    assert.deepEqual(counted.sort(), [
      of('map_volume', 'kubernetes.io/csi:e.example'),
      of('unmap_volume', 'kubernetes.io/csi:e.example'),
      of('volume_mount', 'kubernetes.io/csi:d.example'),
      of('volume_unmount', 'kubernetes.io/csi'),
      of('volume_unmount', 'kubernetes.io/csi:d.example'),
    ]);
  });

  it('puts sizes into ranges whose upper bound belongs to them', () => {
    const sizes = [undefined, 0, 1, 10 * 2 ** 20, 10 * 2 ** 20 + 1, 2 ** 30, 100 * 2 ** 30 + 1];
    assert.deepEqual(sizes.map(toSizeRange), [
      'N/A',
      'N/A',
      '0-10MB',
      '0-10MB',
      '10MB-100MB',
      '500MB-1GB',
      'GT100GB',
    ]);
  });
});

describe('addApiMetrics', () => {
  it('counts every request, but neither time nor size of a watch', () => {
    const registry = new MetricRegistry();
    const count = addApiMetrics(registry);
    const exchange = { method: 'GET', code: '200', durationMs: 500, requestBytes: 0 };
    count('api:1', { ...exchange, queuedMs: 0, responseBytes: 100 });
    count('api:1', { ...exchange, durationMs: 300_000 });
    count('api:1', { ...exchange, code: '<error>', responseBytes: 0 });
    const found = read(registry);
    assert.equal(found['rest_client_requests_total code=200 host=api:1 method=GET'], 2);
    assert.equal(found['rest_client_requests_total code=<error> host=api:1 method=GET'], 1);
    assert.equal(found['rest_client_request_duration_seconds_sum host=api:1 verb=GET'], 1);
    assert.equal(found['rest_client_response_size_bytes_sum host=api:1 verb=GET'], 100);
    assert.equal(found['rest_client_rate_limiter_duration_seconds_count host=api:1 verb=GET'], 1);
  });
});

describe('AuthMetrics', () => {
  it('counts reviews by kind and answer, and how long certificates still last', async () => {
    const registry = new MetricRegistry();
    const metrics = new AuthMetrics(registry, { now: () => 0, steady: () => 0 });
    const status = { code: 403, reason: 'Forbidden', message: 'no' };
    const api = metrics.reviews({
      create: async <T>(_: unknown, object: object): Promise<T> => {
        if ('bad' in object)
          throw new AgentError('permission-denied', 'no', { cause: new ApiStatusError(status) });
        return {} as T;
      },
    });
    await api.create(TOKEN_REVIEWS, {});
    await assert.rejects(api.create(SUBJECT_ACCESS_REVIEWS, { bad: true }));
    metrics.certificate(60_000);
    const found = read(registry);
    assert.equal(found['apiserver_delegated_authn_request_total code=201'], 1);
    assert.equal(found['apiserver_delegated_authz_request_total code=403'], 1);
    assert.equal(found['apiserver_client_certificate_expiration_seconds_sum'], 60);
  });
});

describe('AuthMetrics.tokenCache', () => {
  it('counts hits, misses and reviews, and what is under way', () => {
    const registry = new MetricRegistry();
    const meter = new AuthMetrics(registry, { now: () => 0, steady: () => 0 }).tokenCache();
    meter.active('blocked', 1);
    meter.active('in_flight', 1);
    meter.active('in_flight', -1);
    meter.fetched(true);
    meter.fetched(false);
    meter.asked(false, 500);
    meter.asked(true, 0);
    assert.deepEqual(read(registry), {
      'authentication_token_cache_active_fetch_count status=blocked': 1,
      'authentication_token_cache_fetch_total status=ok': 1,
      'authentication_token_cache_fetch_total status=error': 1,
      'authentication_token_cache_request_total status=miss': 1,
      'authentication_token_cache_request_total status=hit': 1,
      'authentication_token_cache_request_duration_seconds_sum status=miss': 0.5,
      'authentication_token_cache_request_duration_seconds_count status=miss': 1,
      'authentication_token_cache_request_duration_seconds_count status=hit': 1,
    });
  });
});

describe('computePullMs', () => {
  it('reads the time of pulls from events; an image that was there takes none', () => {
    const event = (reason: string, message: string, atMs: number) => ({
      reason,
      message,
      firstAtMs: atMs,
      lastAtMs: atMs,
    });
    assert.equal(computePullMs([event('Pulled', 'Container image "a" already present on machine', 5)]), 0);
    const pulls = [
      event('Pulling', 'Pulling image "a"', 1_000),
      event('Pulled', 'Successfully pulled image "a" in 1s', 2_000),
      event('Pulling', 'Pulling image "b"', 2_500),
      event('Pulled', 'Successfully pulled image "b" in 1s', 4_000),
    ];
    assert.equal(computePullMs(pulls), 3_000);
  });
});
