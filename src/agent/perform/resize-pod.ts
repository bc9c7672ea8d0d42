/**
 * Gives running containers and their pod's cgroup other resources, step by
 * step in the order core/node/plan-resize.ts decides. The first step that
 * fails ends it; what was done by then stays and is known, and the next pass
 * that may try goes on from there.
 */
import { AgentError, causeText } from '../../base/errors.ts';
import type { ResizePod } from '../../core/model/actions.ts';
import type { PodUid } from '../../core/model/ids.ts';
import type { NodeProfile } from '../../core/model/node-profile.ts';
import { toContainerResources, toOverheadResources } from '../../core/resources/container-resources.ts';
import {
  type CgroupReading,
  findMemoryProblem,
  findShrinkingLimits,
  planResize,
  type ResizeStep,
} from '../../core/resources/plan-resize.ts';
import { toPodCgroupLimits } from '../../core/resources/pod-cgroup-limits.ts';
import { toSandboxUpdate } from '../../core/resources/sandbox-update.ts';
import { toCgroupParent } from '../../core/spec/to-sandbox-config.ts';
import type { AgentMeter } from '../../ports/agent-meter.ts';
import type { PodCgroups } from '../../ports/host/cgroups.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { ContainerPins } from '../assign/container-pins.ts';
import { type ActionContext, done, type Performer } from '../pod/perform-action.ts';
import type { PodAllocations } from '../resources/pod-allocations.ts';
import type { PodResizer } from '../resources/pod-resizer.ts';
import { computeStepRetry } from './step-retry.ts';

export interface ResizePodParts {
  readonly kit: Pick<Kit, 'clock' | 'random'> & { readonly meter: Pick<AgentMeter, 'resized'> };
  readonly runtime: ContainerRuntime;
  readonly cgroups: PodCgroups;
  readonly allocations: PodAllocations;
  readonly resizer: Pick<PodResizer, 'noteFailure'>;
  readonly node: NodeProfile;
  readonly pins: Pick<ContainerPins, 'of' | 'hasExclusiveCpus'>;
  /** What the runtime said of the pod's containers no longer holds. */
  readonly reinspect: (uid: PodUid) => void;
}

export function resizePodPerformer(parts: ResizePodParts): Performer<'resize-pod'> {
  return async (action, context) => {
    const { kit, allocations, resizer, reinspect } = parts;
    const { clock, meter } = kit;
    const { record, signal } = context;
    const startedMs = clock.steady();
    const count = (ok: boolean): void =>
      meter.resized({ kind: 'performed', ok, durationMs: clock.steady() - startedMs });
    try {
      // What was granted survives a crash before any of it is in force.
      await allocations.stored();
      await resizePod(parts, action, context);
      await allocations.stored();
      count(true);
      return done;
    } catch (error) {
      if (!(error instanceof AgentError) || signal.aborted) throw error;
      count(false);
      const message = causeText(error);
      resizer.noteFailure(record, message);
      const retryAtMs = computeStepRetry(kit);
      return { kind: 'failed', reason: 'ResizePodInPlaceError', message, retryAtMs, endsPass: false };
    } finally {
      reinspect(record.uid);
    }
  };
}

async function resizePod(parts: ResizePodParts, action: ResizePod, context: ActionContext): Promise<void> {
  const { cgroups, allocations, node, pins } = parts;
  const { pod, uid } = context.record;
  const path = toCgroupParent(pod, node);
  const wanted = toPodCgroupLimits(pod, node, pins.hasExclusiveCpus(uid));
  const current = path === '' ? undefined : await cgroups.read(path);
  const usages = path === '' ? new Map<string, number>() : await readUsages(cgroups, path, action);
  const problem = findMemoryProblem(action, current, wanted, usages);
  if (problem !== undefined) throw new AgentError('failed-precondition', problem);
  let now = current ?? {};
  for (const step of planResize(action, current, wanted)) {
    context.signal.throwIfAborted();
    if (step.kind === 'pod') now = await resizeCgroup(parts, action, context, path, now, step);
    else await resizeContainer(parts, context, step);
  }
  if (action.wholePod) allocations.notePodLevel(pod);
}

/** The runtime is updated first and may refuse; when the kernel refuses afterwards the update is reverted. */
async function resizeCgroup(
  { cgroups, runtime, node }: ResizePodParts,
  { sandboxId }: ResizePod,
  { record, callSignal: signal, label }: ActionContext,
  path: string,
  now: CgroupReading,
  { resource, values }: ResizeStep & { kind: 'pod' },
): Promise<CgroupReading> {
  const { pod } = record;
  const overhead = toOverheadResources(pod, node);
  const update = (reading: CgroupReading): Promise<void> =>
    runtime.updateSandbox(sandboxId, toSandboxUpdate(reading, pod), overhead, { signal, label });
  const next = { ...now, ...values };
  try {
    await update(next);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const message = `failed to notify runtime for UpdatePodSandboxResources (resource=${resource}); resize rejected: ${causeText(error)}`;
    throw new AgentError(error.code, message);
  }
  const [refused] = await cgroups.apply(path, values);
  if (refused === undefined) return next;
  await update(now).catch(() => {});
  throw new AgentError('failed-precondition', refused.message);
}

async function resizeContainer(
  { runtime, allocations, node, pins }: ResizePodParts,
  { record, callSignal: signal, label }: ActionContext,
  { resize, resources }: ResizeStep & { kind: 'container' },
): Promise<void> {
  const { pod, uid } = record;
  const container = { ...resize.container, resources };
  const wanted = toContainerResources(pod, container, node, pins.of(uid, container.name));
  await runtime.updateContainer(resize.id, wanted, { signal, label });
  allocations.noteContainer(pod, container);
}

/** Memory in use by those containers whose limit falls; the runtime names their cgroups after their ids. */
async function readUsages(
  cgroups: Pick<PodCgroups, 'children' | 'read'>,
  path: string,
  action: ResizePod,
): Promise<Map<string, number>> {
  const usages = new Map<string, number>();
  const shrinking = findShrinkingLimits(action);
  if (shrinking.size === 0) return usages;
  const children = await cgroups.children(path);
  for (const { id, container } of action.resizes) {
    const child = shrinking.has(container.name) ? children.find((one) => one.includes(id)) : undefined;
    const usage = child === undefined ? undefined : (await cgroups.read(child)).memoryUsageBytes;
    if (usage !== undefined) usages.set(container.name, usage);
  }
  return usages;
}
