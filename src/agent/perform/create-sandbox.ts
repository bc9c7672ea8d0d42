/**
 * Makes a pod's sandbox: its directories and cgroup first, then the runtime's
 * part through the start gate. What goes wrong becomes an event with the text
 * users know and is tried again later.
 */

import type { Gate } from '../../base/async/gate.ts';
import { errorText } from '../../base/errors.ts';
import { describePod } from '../../core/api/pod-identity.ts';
import { pluginsDirectory, podDirectory, volumesDirectory } from '../../core/model/pod-paths.ts';
import type { HandlerLookup, RuntimeClasses } from '../../ports/cluster/runtime-classes.ts';
import type { Kit } from '../../ports/kit.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { PodClaims } from '../claims/pod-claims.ts';
import { type ActionContext, type ActionResult, done, type Performer } from '../pod/perform-action.ts';
import { startRank } from '../pod/start-rank.ts';
import type { PodAllocations } from '../resources/pod-allocations.ts';
import { ensurePodCgroup, type PodCgroupParts } from './pod-cgroup.ts';
import { readSandboxSettings, type SandboxSettingsParts } from './sandbox-settings.ts';
import { computeStepRetry } from './step-retry.ts';

/** The first container follows its sandbox in the same place of the start gate, unless something else holds it up. */
const KEEP_PLACE_MS = 250;

export interface CreateSandboxParts {
  readonly kit: Pick<Kit, 'clock' | 'random' | 'events'>;
  readonly runtime: ContainerRuntime;
  readonly runtimeClasses: RuntimeClasses;
  /** What the configuration of the sandbox is gathered from. */
  readonly settings: SandboxSettingsParts;
  /** What the cgroup of the pod is made with. */
  readonly cgroup: PodCgroupParts;
  readonly allocations: Pick<PodAllocations, 'notePodCgroup'>;
  readonly gate: Gate;
  /** Undefined where there are no dynamic resources. */
  readonly claims: Pick<PodClaims, 'prepare'> | undefined;
}

export function sandboxPerformer(parts: CreateSandboxParts): Performer<'create-sandbox'> {
  return async (action, context) => {
    const { runtime, runtimeClasses, gate } = parts;
    const { events } = parts.kit;
    const { files, node } = parts.settings;
    const { record, signal, callSignal, label } = context;
    const { pod, uid } = record;
    if (action.replaces !== undefined) {
      const message = 'Pod sandbox changed, it will be killed and re-created.';
      events.record({ about: { pod }, type: 'Normal', reason: 'SandboxChanged', message });
    }
    try {
      await parts.claims?.prepare(pod, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const message = `Failed to prepare dynamic resources: ${errorText(error)}`;
      return fail(parts, context, 'FailedPrepareDynamicResources', message);
    }
    const { runtimeClassName = '' } = pod.spec;
    const found: HandlerLookup =
      runtimeClassName === ''
        ? { kind: 'found', handler: '' }
        : await runtimeClasses.handler(runtimeClassName, signal);
    if (found.kind === 'failed') return refuse(parts, context, 'create sandbox', found.message);
    const { handler } = found;
    const settings = await readSandboxSettings(parts.settings, pod, action.attempt, handler);
    if (!settings.ok) return refuse(parts, context, 'generate sandbox config', settings.message);
    for (const { target, reason, message } of settings.warnings) {
      const about = target === 'pod' ? { pod } : target;
      events.record({ about, type: 'Warning', reason, message });
    }
    const { cgroupParent, logDirectory } = settings.config;
    try {
      if (cgroupParent !== '') await ensurePodCgroup(parts.cgroup, cgroupParent, pod, label);
      parts.allocations.notePodCgroup(pod);
    } catch (error) {
      const message = `unable to ensure pod container exists: ${errorText(error)}`;
      return fail(parts, context, 'FailedCreatePodContainer', message);
    }
    try {
      for (const make of [podDirectory, volumesDirectory, pluginsDirectory])
        await files.makeDirectory(make(node.rootDir, uid), 0o750);
    } catch (error) {
      return fail(parts, context, 'Failed', `error making pod data directories: ${errorText(error)}`);
    }
    try {
      await files.makeDirectory(logDirectory, 0o755);
    } catch (error) {
      return refuse(parts, context, 'create log directory', errorText(error));
    }
    try {
      const run = () => runtime.runSandbox(settings.config, handler, { signal: callSignal, label });
      await gate.run(startRank(record), signal, run, KEEP_PLACE_MS);
      return done;
    } catch (error) {
      if (signal.aborted) throw error;
      return refuse(parts, context, 'create sandbox', errorText(error));
    }
  };
}

function refuse(parts: CreateSandboxParts, context: ActionContext, step: string, why: string): ActionResult {
  const event = fail(parts, context, 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${why}`);
  const message = `Failed to ${step} for pod "${describePod(context.record.pod)}": ${why}`;
  return { ...event, reason: 'CreatePodSandboxError', message };
}

/** What goes wrong before the sandbox has a reason of its own. */
function fail(
  parts: CreateSandboxParts,
  { record }: ActionContext,
  reason: string,
  message: string,
): Extract<ActionResult, { kind: 'failed' }> {
  parts.kit.events.record({ about: { pod: record.pod }, type: 'Warning', reason, message });
  return { kind: 'failed', reason, message, retryAtMs: computeStepRetry(parts.kit), endsPass: true };
}
