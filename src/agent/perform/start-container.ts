/**
 * Starts one container: image, configuration, create, start, postStart hook.
 * Only create and start go through the gate; a pull or a hook holds no place
 * in it. Each way to fail has its own waiting reason, as users know them.
 */

import { sleep } from '../../base/async/clock.ts';
import type { Gate } from '../../base/async/gate.ts';
import { AgentError, causeText, errorText } from '../../base/errors.ts';
import type { StartContainer } from '../../core/model/actions.ts';
import type { ContainerConfig } from '../../core/model/container-config.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import { legacyLogLink } from '../../core/model/log-paths.ts';
import { newestInstance } from '../../core/model/observed-pod.ts';
import type { SandboxConfig } from '../../core/model/sandbox-config.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ContainerRuntime, RuntimeReader } from '../../ports/runtime/container-runtime.ts';
import type { ImagePuller } from '../image/image-puller.ts';
import type { CrashLoopMemory } from '../pod/crash-loop-memory.ts';
import { type ActionContext, type ActionResult, done, type Performer } from '../pod/perform-action.ts';
import { startRank } from '../pod/start-rank.ts';
import type { PodAllocations } from '../resources/pod-allocations.ts';
import { type ContainerSettingsParts, gatherContainerConfig } from './container-settings.ts';
import { ensureImageVolumes } from './image-volumes.ts';
import type { RunPostStart } from './post-start.ts';
import { readSandboxSettings, type SandboxSettingsParts } from './sandbox-settings.ts';
import { computeStepRetry } from './step-retry.ts';

/** How often, and how far apart, it is tried to remove what may be starting. */
const MAX_LOOKS = 12;
const LOOK_AGAIN_MS = 250;

export interface StartContainerParts {
  readonly kit: Pick<Kit, 'clock' | 'random'> & { readonly events: Pick<EventRecorder, 'record'> };
  readonly runtime: ContainerRuntime;
  readonly reader: Pick<RuntimeReader, 'containerStatus'>;
  /** What the configuration of a container is gathered from. */
  readonly settings: ContainerSettingsParts & SandboxSettingsParts;
  readonly gate: Gate;
  readonly puller: Pick<ImagePuller, 'ensure'>;
  readonly crashLoops: CrashLoopMemory;
  readonly allocations: Pick<PodAllocations, 'noteContainer' | 'stored'>;
}

export function startContainerPerformer(
  parts: StartContainerParts,
  runPostStart: RunPostStart,
): Performer<'start-container'> {
  return async (action, context) => {
    const { backOff } = action;
    if (backOff !== undefined) await parts.crashLoops.remember(backOff.key, backOff.entry);
    try {
      const started = await prepareAndStart(parts, action, context);
      return typeof started === 'string' ? await runPostStart(action, context, started) : started;
    } catch (error) {
      if (context.signal.aborted || !(error instanceof AgentError)) throw error;
      const problem = { reason: 'CreateContainerConfigError', message: errorText(error) };
      return failed(parts, action, context, problem);
    }
  };
}

/** The id of the container that runs now, or why there is none. Rejects with AgentError when the host fails. */
async function prepareAndStart(
  parts: StartContainerParts,
  action: StartContainer,
  context: ActionContext,
): Promise<ContainerId | ActionResult> {
  const { puller, settings } = parts;
  const { record, observed, signal, label } = context;
  const { pod, uid } = record;
  const { container } = action;
  const handler = observed.sandboxes.find(({ id }) => id === action.sandboxId)?.runtimeHandler ?? '';
  const sandbox = await readSandboxSettings(settings, pod, action.sandboxAttempt, handler);
  if (!sandbox.ok)
    return failed(parts, action, context, {
      reason: 'CreateContainerConfigError',
      message: sandbox.message,
    });
  const runtimeHandler = settings.node.features('RuntimeClassInImageCriApi') ? handler : '';
  const shown = await ensureImageVolumes(puller, action, context, sandbox.config, runtimeHandler);
  if (!shown.ok) return failed(parts, action, context, { ...shown, eventText: shown.reason });
  const image = await puller.ensure({
    uid,
    pod,
    image: container.image ?? '',
    policy: container.imagePullPolicy,
    container: container.name,
    sandboxConfig: sandbox.config,
    runtimeHandler,
    signal,
    label,
  });
  if (!image.ok) return failed(parts, action, context, { ...image, eventText: image.reason });
  const removed = await removeUnstarted(parts, action, context);
  if (removed !== undefined) return removed;
  // Without its user a container would run as root.
  if (image.inspectError !== undefined)
    return failed(parts, action, context, {
      reason: 'CreateContainerConfigError',
      message: image.inspectError,
    });
  const gathered = await gatherContainerConfig(settings, action, context, image, shown.volumes);
  if (!gathered.ok) return failed(parts, action, context, gathered);
  return createAndStart(parts, action, context, gathered.config, sandbox.config);
}

/** The id of the container that runs now, or why there is none. */
async function createAndStart(
  parts: StartContainerParts,
  action: StartContainer,
  context: ActionContext,
  config: ContainerConfig,
  sandboxConfig: SandboxConfig,
): Promise<ContainerId | ActionResult> {
  const { runtime, gate, allocations } = parts;
  const { record, signal, callSignal, label } = context;
  const options = { signal: callSignal, label };
  // Taken for in force from here on; after a crash it must not look as if the old ones were.
  if (action.role !== 'ephemeral' && allocations.noteContainer(record.pod, action.container))
    await allocations.stored();
  const { pins } = parts.settings.hardware;
  return gate.run(startRank(record), signal, async () => {
    let id: ContainerId;
    try {
      id = await runtime.createContainer(action.sandboxId, config, sandboxConfig, options);
    } catch (error) {
      if (signal.aborted) throw error;
      return failed(parts, action, context, { reason: 'CreateContainerError', message: causeText(error) });
    }
    pins.created(record.pod, action.container.name, id, config.resources);
    recordEvent(parts, action, context, 'Normal', 'Created', 'Container created');
    // Nothing starts any more in a pod that ends meanwhile.
    signal.throwIfAborted();
    try {
      await runtime.startContainer(id, options);
    } catch (error) {
      if (signal.aborted) throw error;
      const message = causeText(error);
      // An id that is new each time would make each event one of its own.
      const eventText = message.replaceAll(id, action.container.name);
      return failed(parts, action, context, { reason: 'RunContainerError', message, eventText });
    }
    recordEvent(parts, action, context, 'Normal', 'Started', 'Container started');
    await linkLog(parts, context, config, sandboxConfig, id);
    return id;
  });
}

/**
 * What an agent made and died before it was started gives its number, and so
 * its name, to the next one. There is nothing to do when it runs after all:
 * the last call of the dead agent may have come through since the pod was
 * read. While that call is under way the runtime removes nothing.
 */
async function removeUnstarted(
  parts: StartContainerParts,
  action: StartContainer,
  context: ActionContext,
): Promise<ActionResult | undefined> {
  const { signal, label } = context;
  const newest = newestInstance(context.observed, action.container.name);
  if (newest?.state !== 'created') return undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      const now = await parts.reader.containerStatus(newest.id, { signal, label });
      if (now !== undefined && now.state !== 'created') return done;
      await parts.runtime.removeContainer(newest.id, { signal, label });
      return undefined;
    } catch (error) {
      if (signal.aborted) throw error;
      if (attempt === MAX_LOOKS)
        return failed(parts, action, context, { reason: 'CreateContainerError', message: causeText(error) });
      await sleep(parts.kit.clock, LOOK_AGAIN_MS, signal);
      signal.throwIfAborted();
    }
  }
}

/** Log collectors look for this link; without it the container runs all the same. */
async function linkLog(
  { settings: { files } }: StartContainerParts,
  { record }: ActionContext,
  config: ContainerConfig,
  sandboxConfig: SandboxConfig,
  id: ContainerId,
): Promise<void> {
  const log = `${sandboxConfig.logDirectory}/${config.logPath}`;
  try {
    if (await files.exists(log)) await files.linkTo(log, legacyLogLink(record.pod, config.name, id));
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
  }
}

interface StartProblem {
  readonly reason: string;
  readonly message: string;
  /** What the event says, if not the message; image problems name only their reason there. */
  readonly eventText?: string;
  readonly retryAtMs?: number;
}

function failed(
  parts: StartContainerParts,
  action: StartContainer,
  context: ActionContext,
  problem: StartProblem,
): ActionResult {
  const { reason, message, eventText = message } = problem;
  // The events of a back-off belong to the moment the status begins to show it.
  if (reason !== 'ImagePullBackOff')
    recordEvent(parts, action, context, 'Warning', 'Failed', `Error: ${eventText}`);
  return tryLater(parts, action, problem);
}

/** A failed init container holds back those after it; sidecars and main containers stand for themselves. */
function tryLater(
  parts: StartContainerParts,
  { role }: StartContainer,
  { reason, message, retryAtMs = computeStepRetry(parts.kit) }: StartProblem,
): ActionResult {
  return { kind: 'failed', reason, message, retryAtMs, endsPass: role === 'init' };
}

function recordEvent(
  { kit }: StartContainerParts,
  { container }: StartContainer,
  { record }: ActionContext,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  const { pod } = record;
  kit.events.record({ about: { pod, container: container.name }, type, reason, message });
}
