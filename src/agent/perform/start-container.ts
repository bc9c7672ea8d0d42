/**
 * Starts one container: image, configuration, create, start. Only create and
 * start go through the gate; a pull holds no place in it. Each way to fail
 * has its own waiting reason, as users know them.
 */
import type { Clock } from '../../base/clock.ts';
import { AgentError, errorText } from '../../base/errors.ts';
import type { Gate } from '../../base/gate.ts';
import type { StartContainer } from '../../core/pod/actions.ts';
import { toContainerFieldPath } from '../../core/pod/field-path.ts';
import type { ContainerId } from '../../core/pod/ids.ts';
import type { ContainerConfig } from '../../core/spec/container-config.ts';
import { legacyLogLink } from '../../core/spec/log-paths.ts';
import type { NodeFacts } from '../../core/spec/node-facts.ts';
import type { SandboxConfig } from '../../core/spec/sandbox-config.ts';
import type { ContainerRuntime } from '../../ports/container-runtime.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { HostFiles } from '../../ports/host-files.ts';
import type { CrashLoopMemory } from '../crash-loop-memory.ts';
import type { ImagePuller } from '../image-puller.ts';
import { type ActionContext, done, type PassResult, type Performer } from '../perform-action.ts';
import { startRank } from '../start-rank.ts';
import { gatherContainerConfig } from './container-settings.ts';
import { readSandboxSettings } from './sandbox-settings.ts';

const RETRY_MS = 10_000;

export interface StartContainerParts {
  readonly runtime: ContainerRuntime;
  readonly files: HostFiles;
  readonly events: EventRecorder;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly random: () => number;
  readonly node: NodeFacts;
  readonly puller: ImagePuller;
  readonly crashLoops: CrashLoopMemory;
}

export function createStartContainer(parts: StartContainerParts): Performer<'start-container'> {
  return async (action, context) => {
    const { files, node, puller, crashLoops } = parts;
    const { record, signal, label } = context;
    const { pod, uid } = record;
    const { container } = action;
    if (action.backOff !== undefined) await crashLoops.remember(action.backOff.key, action.backOff.entry);
    const sandbox = await readSandboxSettings(files, node, pod, action.sandboxAttempt);
    if (!sandbox.ok)
      return failed(parts, action, context, {
        reason: 'CreateContainerConfigError',
        message: sandbox.message,
      });
    const image = await puller.ensure({ uid, pod, container, sandboxConfig: sandbox.config, signal, label });
    if (!image.ok) return failed(parts, action, context, { ...image, eventText: image.reason });
    const settings = await gatherContainerConfig(parts, action, context, image);
    if (!settings.ok) return failed(parts, action, context, settings);
    return createAndStart(parts, action, context, settings.config, sandbox.config);
  };
}

async function createAndStart(
  parts: StartContainerParts,
  action: StartContainer,
  context: ActionContext,
  config: ContainerConfig,
  sandboxConfig: SandboxConfig,
): Promise<PassResult> {
  const { runtime, gate } = parts;
  const { record, signal, label } = context;
  return gate.run(startRank(record), signal, async () => {
    let id: ContainerId;
    try {
      id = await runtime.createContainer(action.sandboxId, config, sandboxConfig, { signal, label });
    } catch (error) {
      if (signal.aborted) throw error;
      return failed(parts, action, context, { reason: 'CreateContainerError', message: errorText(error) });
    }
    recordEvent(parts, action, context, 'Normal', 'Created', 'Container created');
    try {
      await runtime.startContainer(id, { signal, label });
    } catch (error) {
      if (signal.aborted) throw error;
      return failed(parts, action, context, { reason: 'RunContainerError', message: errorText(error) });
    }
    recordEvent(parts, action, context, 'Normal', 'Started', 'Container started');
    await linkLog(parts, context, config, sandboxConfig, id);
    return done;
  });
}

/** Log collectors look for this link; without it the container runs all the same. */
async function linkLog(
  { files }: StartContainerParts,
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
  /** What the event says; image problems name only their reason there. */
  readonly eventText?: string;
  readonly retryAtMs?: number;
}

function failed(
  parts: StartContainerParts,
  action: StartContainer,
  context: ActionContext,
  problem: StartProblem,
): PassResult {
  const {
    reason,
    message,
    eventText = message,
    retryAtMs = parts.clock.now() + RETRY_MS * (1 + parts.random() / 2),
  } = problem;
  recordEvent(parts, action, context, 'Warning', 'Failed', `Error: ${eventText}`);
  // A failed init container holds back those after it; sidecars and main containers stand for themselves.
  return { kind: 'failed', reason, message, retryAtMs, endsPass: action.role === 'init' };
}

function recordEvent(
  { events }: StartContainerParts,
  { container }: StartContainer,
  { record }: ActionContext,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  const { pod } = record;
  events.record({ pod, fieldPath: toContainerFieldPath(pod, container.name), type, reason, message });
}
