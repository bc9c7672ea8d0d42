import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeCgroups } from '../../../test/fakes/fake-cgroups.ts';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { Gate } from '../../base/gate.ts';
import { toPodUid, toSandboxId } from '../../core/pod/ids.ts';
import { sampleNode } from '../../core/spec/sample-pod.ts';
import { observe, samplePod } from '../../core/status/sample-pods.ts';
import type { ContainerRuntime } from '../../ports/container-runtime.ts';
import type { PodEvent } from '../../ports/event-recorder.ts';
import type { HostFiles } from '../../ports/host-files.ts';
import type { RuntimeClasses } from '../../ports/runtime-classes.ts';
import { CgroupRefusals } from '../cgroup-refusals.ts';
import { createCreateSandbox } from './create-sandbox.ts';

const files = { readFile: async () => '', makeDirectory: async () => {} } as unknown as HostFiles;

const CLASSES: RuntimeClasses = {
  handler: async (name) =>
    name === 'gvisor'
      ? { kind: 'found', handler: 'runsc' }
      : { kind: 'failed', message: `runtimeclass.node.k8s.io "${name}" not found` },
};

async function create(runtimeClassName: string | undefined, runtimeClasses?: RuntimeClasses) {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const handlers: string[] = [];
  const events: PodEvent[] = [];
  const perform = createCreateSandbox({
    runtime: {
      runSandbox: async (_config: unknown, handler: string) => {
        handlers.push(handler);
        return toSandboxId('s1');
      },
    } as unknown as ContainerRuntime,
    files,
    cgroups: new FakeCgroups(),
    refusals: new CgroupRefusals(logger),
    events: { record: (event) => void events.push(event) },
    gate: new Gate(1),
    clock,
    logger,
    random: () => 0,
    node: sampleNode(),
    volumes: { groups: () => [] },
    allocations: { notePodCgroup: () => {} },
    ...(runtimeClasses === undefined ? {} : { runtimeClasses }),
  });
  const pod = samplePod(runtimeClassName === undefined ? {} : { runtimeClassName });
  const { signal } = new AbortController();
  const record = { uid: toPodUid('uid-1'), pod, source: 'api' as const, order: 0 };
  const result = await perform({ kind: 'create-sandbox', attempt: 0 }, {
    record,
    observed: observe([]),
    signal,
    callSignal: signal,
    label: 'a/b',
  } as never);
  return { result, handlers, events };
}

describe('createCreateSandbox', () => {
  for (const [name, classes, expected] of [
    [undefined, CLASSES, ''],
    ['gvisor', CLASSES, 'runsc'],
    ['gvisor', undefined, ''],
  ] as const)
    it(`runs a pod of the class ${name} by the handler "${expected}"${classes ? '' : ' standalone'}`, async () => {
      const { result, handlers } = await create(name, classes);
      assert.deepEqual([result.kind, handlers], ['done', [expected]]);
    });

  it('makes no sandbox for a class that does not exist, says so, and tries again later', async () => {
    const { result, handlers, events } = await create('kata', CLASSES);
    assert.deepEqual(handlers, []);
    assert.ok(result.kind === 'failed' && result.retryAtMs !== undefined);
    const [event] = events;
    assert.equal(event?.reason, 'FailedCreatePodSandBox');
    assert.match(event?.message ?? '', /runtimeclass\.node\.k8s\.io "kata" not found$/);
  });
});
