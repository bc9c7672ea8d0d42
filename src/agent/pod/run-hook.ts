/**
 * One lifecycle hook, run to its end. Hooks have no time limit of their own;
 * the caller decides how long to wait. What a hook prints goes into the
 * failure text, never into events.
 */
import { type Clock, sleep } from '../../base/async/clock.ts';
import { errorText } from '../../base/errors.ts';
import { type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { Container, HttpGetAction, LifecycleHandler, Pod } from '../../core/api/pod.ts';
import { describePod } from '../../core/api/pod-identity.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import { type HttpGetRequest, joinHostPort, toHttpRequest } from '../../core/pod/http-action.ts';
import { HOOK_USER_AGENT, toOutputText } from '../../core/pod/probe-request.ts';
import type { AgentMeter } from '../../ports/agent-meter.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { ProbeTransport } from '../../ports/runtime/probe-transport.ts';

export interface RunHookParts {
  readonly runtime: ContainerRuntime;
  readonly transport: ProbeTransport;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: Clock;
  readonly meter?: Pick<AgentMeter, 'counted'>;
}

/** The container instance whose hook it is. */
export interface HookTarget {
  readonly pod: Pod;
  readonly container: Container;
  readonly id: ContainerId;
  readonly podIp: string | undefined;
  /** Names the pod in calls that may hang. */
  readonly label: string;
}

export type HookResult = Outcome<undefined>;

const succeeded: HookResult = { ok: true, value: undefined };

/** A refusal carries the whole failure text. Never rejects; an aborted `signal` is a failure like others. */
export async function runHook(
  parts: RunHookParts,
  handler: LifecycleHandler,
  target: HookTarget,
  signal: AbortSignal,
): Promise<HookResult> {
  if (handler.exec !== undefined) return runExec(parts, handler.exec.command ?? [], target, signal);
  if (handler.httpGet !== undefined) return runHttp(parts, handler.httpGet, target, signal);
  if (handler.sleep !== undefined) return runSleep(parts, handler.sleep.seconds, target, signal);
  return refuse(`invalid handler: ${JSON.stringify(handler)}`);
}

async function runExec(
  { runtime }: RunHookParts,
  command: readonly string[],
  target: HookTarget,
  signal: AbortSignal,
): Promise<HookResult> {
  const failed = (why: string, output: string): HookResult =>
    refuse(
      `Exec lifecycle hook ([${command.join(' ')}]) for ${describe(target)} failed - error: ${why}, message: ${quote(output)}`,
    );
  try {
    const run = await runtime.execSync(target.id, command, 0, { signal, label: target.label });
    if (run.exitCode === 0) return succeeded;
    const stderr = new TextDecoder().decode(run.stderr);
    return failed(`command '${command.join(' ')}' exited with ${run.exitCode}: ${stderr}`, toOutputText(run));
  } catch (error) {
    return failed(errorText(error), '');
  }
}

/** Any answer is good. A server that speaks plain HTTP where HTTPS was asked for gets a second, plain try. */
async function runHttp(
  { transport, events, meter }: RunHookParts,
  action: HttpGetAction,
  target: HookTarget,
  signal: AbortSignal,
): Promise<HookResult> {
  const { pod, container, podIp } = target;
  const failed = (why: string): HookResult =>
    refuse(`HTTP lifecycle hook (${action.path ?? ''}) for ${describe(target)} failed - error: ${why}`);
  const request = toHttpRequest(action, container, podIp, HOOK_USER_AGENT);
  if (!request.ok) return failed(request.message);
  const answer = await transport.httpGet(request.value, { signal });
  if (answer.kind === 'answer') return succeeded;
  if (answer.kind === 'failure') return failed(answer.message);
  const second = await transport.httpGet(toPlain(request.value), { signal });
  if (second.kind !== 'answer') return failed(second.message);
  meter?.counted('hook-plain-retry');
  const host = joinHostPort(request.value.host, request.value.port);
  const message = `request to HTTPS lifecycle hook ${host} got HTTP response, retry with HTTP succeeded`;
  events.record({ about: { pod }, type: 'Warning', reason: 'LifecycleHTTPFallback', message });
  return succeeded;
}

/** Credentials were meant for an encrypted connection. */
function toPlain(request: HttpGetRequest): HttpGetRequest {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...request, scheme: 'http', headers };
}

async function runSleep(
  { clock, meter }: RunHookParts,
  seconds: number,
  target: HookTarget,
  signal: AbortSignal,
): Promise<HookResult> {
  await sleep(clock, seconds * 1000, signal);
  if (!signal.aborted) return succeeded;
  meter?.counted('sleep-cut-short');
  const why = 'container terminated before sleep hook finished';
  return refuse(`Sleep lifecycle hook (${seconds}) for ${describe(target)} failed - error: ${why}`);
}

function describe({ container, pod }: HookTarget): string {
  return `Container ${quote(container.name)} in Pod ${quote(describePod(pod))}`;
}
