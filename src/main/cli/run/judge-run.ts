/**
 * What `kubelet run` makes of its pods: one line for each, and with `--once` whether all is over and with which exit
 * code. Pure.
 */
import type { ContainerStatus } from '../../../core/api/pod-status.ts';
import type { ApiEvent } from '../../../core/events/api-event.ts';
import { isTerminalPhase } from '../../../core/status/phase.ts';
import { toPodRow } from '../../../core/status/pod-row.ts';
import type { PodExplanation } from '../../../server/pods/explain-route.ts';
import type { CliPod } from '../ask/choose-pod.ts';

/** What is known at one moment. */
export interface RunFacts {
  readonly pods: readonly CliPod[];
  /** By uid. */
  readonly explanations: ReadonlyMap<string, PodExplanation>;
  readonly events: readonly ApiEvent[];
}

export type PodMood = 'good' | 'busy' | 'bad';

export interface PodLine {
  readonly uid: string;
  readonly name: string;
  readonly mood: PodMood;
  readonly text: string;
  /** Without what changes from second to second: a new line is worth printing when it differs. */
  readonly key: string;
}

/** The end of a run to completion. */
export interface RunEnd {
  readonly exitCode: number;
  /** Why it is not 0. */
  readonly problem: string | undefined;
}

const PULL_ADVICE =
  'check the name of the image and that its registry can be reached; one that is on this machine needs imagePullPolicy: IfNotPresent';
/** A container that waits for one of these waits until a person changes something: what that is. */
const HOPELESS: Readonly<Record<string, string>> = {
  InvalidImageName: 'mend the name of the image',
  ErrImageNeverPull: 'pull or load the image first (kubelet images --help), or set another imagePullPolicy',
  ErrImagePull: PULL_ADVICE,
  ImagePullBackOff: PULL_ADVICE,
  RegistryUnavailable: PULL_ADVICE,
  ImageInspectError: 'pull the image again',
  SignatureValidationFailed: 'use an image that is signed as the runtime wants it',
  CreateContainerConfigError: 'add the ConfigMap or Secret that it names to the manifests',
  CreateContainerError: 'mend what the runtime complains of',
  RunContainerError: 'check the command, and that the image has it',
};
/** Steps of a pod that may work the next time. */
const FAILED_STEPS: ReadonlySet<string> = new Set([
  'FailedCreatePodSandBox',
  'FailedMount',
  'FailedMapVolume',
]);
const MOST_TRIES = 3;
const EXIT_FAILED = 1;

/** The name without that of the node. */
export function toShortName({ metadata, spec }: CliPod): string {
  const suffix = `-${spec.nodeName?.toLowerCase() ?? ''}`;
  const name = metadata.name.endsWith(suffix) ? metadata.name.slice(0, -suffix.length) : metadata.name;
  return metadata.namespace === 'default' ? name : `${metadata.namespace}/${name}`;
}

export function toPodLines({ pods, explanations }: RunFacts, nowMs: number): PodLine[] {
  return pods.map((pod) => {
    const explained = explanations.get(pod.metadata.uid);
    const { status, restarts } = toPodRow(pod, nowMs, explained?.state === 'ending');
    const { mood, text } = describe(pod, explained, status);
    // A sentence has times in it.
    const isSentence = mood === 'bad' && pod.status?.phase !== 'Failed';
    const key = isSentence ? [status, restarts.replace(/ .*$/, ''), explained?.waitsFor].join('|') : text;
    return { uid: pod.metadata.uid, name: toShortName(pod), mood, text, key };
  });
}

function describe(
  pod: CliPod,
  explained: PodExplanation | undefined,
  shown: string,
): Pick<PodLine, 'mood' | 'text'> {
  const { metadata, status = {} } = pod;
  if (status.phase === 'Succeeded') return { mood: 'good', text: 'completed' };
  if (status.phase === 'Failed') return { mood: 'bad', text: `failed: ${describeFailure(pod)}` };
  if (metadata.deletionTimestamp !== undefined) return { mood: 'busy', text: 'ending' };
  if (explained?.state === 'ready')
    return { mood: 'good', text: `ready${status.podIP === undefined ? '' : ` at ${status.podIP}`}` };
  if (explained?.state === 'waiting' && explained.nextTryAt !== undefined)
    return { mood: 'bad', text: `${shown}: ${explained.sentence}` };
  return { mood: 'busy', text: shown };
}

/** Undefined while something may still happen. `expected` pods must have been seen. */
export function judgeRun(facts: RunFacts, expected: number): RunEnd | undefined {
  const { pods } = facts;
  for (const pod of pods) {
    const problem = findHopeless(pod, facts);
    if (problem !== undefined) return { exitCode: EXIT_FAILED, problem: `${toShortName(pod)}: ${problem}` };
  }
  if (pods.length < expected || !pods.every(({ status }) => isTerminalPhase(status?.phase))) return undefined;
  const failed = pods.filter(({ status }) => status?.phase === 'Failed');
  if (failed.length === 0) return { exitCode: 0, problem: undefined };
  const ends = failed.map((pod) => ({ pod, end: findFirstFailure(pod) }));
  const [first] = ends.toSorted((a, b) => (a.end?.finishedMs ?? 0) - (b.end?.finishedMs ?? 0));
  const problem =
    first === undefined ? undefined : `${toShortName(first.pod)}: ${describeFailure(first.pod)}`;
  return { exitCode: first?.end?.exitCode ?? EXIT_FAILED, problem };
}

/** The container that failed first; the pod's own reason where none did, as for one that was refused. */
function describeFailure(pod: CliPod): string {
  const { reason, message } = pod.status ?? {};
  return (
    findFirstFailure(pod)?.text ??
    ([reason, message].filter(Boolean).join(': ') || 'for no reason that is known')
  );
}

interface FailedEnd {
  readonly exitCode: number;
  readonly finishedMs: number;
  readonly text: string;
}

function findFirstFailure(pod: CliPod): FailedEnd | undefined {
  const ends = statusesOf(pod).flatMap(({ name, state: { terminated } }) => {
    if (terminated === undefined || terminated.exitCode === 0) return [];
    const { exitCode, reason } = terminated;
    const why = reason === undefined || reason === 'Error' ? '' : ` (${reason})`;
    return [
      {
        exitCode,
        finishedMs: Date.parse(terminated.finishedAt ?? '') || 0,
        text: `container ${JSON.stringify(name)} ended with exit code ${exitCode}${why}`,
      },
    ];
  });
  return ends.toSorted((a, b) => a.finishedMs - b.finishedMs)[0];
}

function findHopeless(pod: CliPod, { events }: RunFacts): string | undefined {
  for (const { name, state } of statusesOf(pod)) {
    const { reason = '', message = '' } = state.waiting ?? {};
    const advice = Object.hasOwn(HOPELESS, reason) ? HOPELESS[reason] : undefined;
    if (advice === undefined) continue;
    const why = message === '' ? reason : `${reason}: ${message}`;
    return `container ${JSON.stringify(name)} cannot be started: ${why}\n${advice}`;
  }
  const tries = events.filter(
    ({ involvedObject, reason }) => involvedObject.uid === pod.metadata.uid && FAILED_STEPS.has(reason),
  );
  const count = tries.reduce((sum, event) => sum + event.count, 0);
  if (count < MOST_TRIES) return undefined;
  return `the pod cannot be started, tried ${count} times: ${tries.at(-1)?.message ?? ''}`;
}

function statusesOf({ status }: CliPod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}
