/**
 * One run of a probe: asks the container in the way its handler says. An
 * attempt that could not be made at all is made again, at once and a few
 * times; what is left of it then says nothing about the container.
 */
import { errorText, hasCode } from '../../base/errors.ts';
import type { Outcome } from '../../base/outcome.ts';
import type { Container, Pod, Probe } from '../../core/api/pod.ts';
import { describePod } from '../../core/api/pod-identity.ts';
import type { ContainerId } from '../../core/model/ids.ts';
import { resolveHost, resolvePort, toHttpRequest } from '../../core/pod/http-action.ts';
import {
  PROBE_USER_AGENT,
  type ProbeReport,
  renderCommandTimeout,
  toExecReport,
  toHttpReport,
  toProbeCommand,
} from '../../core/pod/probe-request.ts';
import { toProbeTiming } from '../../core/pod/probe-schedule.ts';
import type { ContainerRuntime } from '../../ports/runtime/container-runtime.ts';
import type { ProbeTransport, TransportFailure } from '../../ports/runtime/probe-transport.ts';

const MAX_ATTEMPTS = 3;

export interface RunProbeParts {
  readonly runtime: ContainerRuntime;
  readonly transport: ProbeTransport;
}

/** The container instance that is asked. */
export interface ProbeTarget {
  readonly pod: Pod;
  readonly container: Container;
  readonly id: ContainerId;
  readonly startedAtMs: number;
  readonly podIp: string | undefined;
  /** Names the pod in calls that may hang. */
  readonly label: string;
}

/** Never rejects; a run cut short by `signal` reports an error to be ignored. */
export async function runProbe(
  parts: RunProbeParts,
  probe: Probe,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeReport> {
  for (let attempt = 1; ; attempt++) {
    const report = await runOnce(parts, probe, target, signal);
    if (report.outcome !== 'error' || attempt === MAX_ATTEMPTS || signal.aborted) return report;
  }
}

async function runOnce(
  parts: RunProbeParts,
  probe: Probe,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeReport> {
  const timeoutMs = toProbeTiming(probe).timeoutMs;
  try {
    if (probe.exec !== undefined) return await runExec(parts.runtime, probe, target, signal, timeoutMs);
    return await askNetwork(parts.transport, probe, target, { signal, timeoutMs });
  } catch (error) {
    return toError(errorText(error));
  }
}

async function runExec(
  runtime: ContainerRuntime,
  probe: Probe,
  { container, id, label }: ProbeTarget,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ProbeReport> {
  const command = toProbeCommand(probe.exec?.command ?? [], container);
  try {
    return toExecReport(await runtime.execSync(id, command, timeoutMs / 1000, { signal, label }));
  } catch (error) {
    if (!hasCode(error, 'deadline-exceeded')) throw error;
    return { outcome: 'failure', output: renderCommandTimeout(command, timeoutMs) };
  }
}

async function askNetwork(
  transport: ProbeTransport,
  { httpGet, tcpSocket, grpc }: Probe,
  { pod, container, podIp }: ProbeTarget,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<ProbeReport> {
  if (httpGet !== undefined) {
    const request = toHttpRequest(httpGet, container, podIp, PROBE_USER_AGENT);
    if (!request.ok) return toError(request.message);
    const answer = await transport.httpGet(request.value, options);
    return answer.kind === 'answer' ? toHttpReport(answer.status, answer.body) : toReport(answer);
  }
  if (tcpSocket !== undefined) {
    const address = resolveAddress(tcpSocket, container, podIp);
    if (!address.ok) return toError(address.message);
    return toReport(await transport.connect(address.value.host, address.value.port, options));
  }
  if (grpc !== undefined) {
    const address = resolveAddress({ port: grpc.port }, container, podIp);
    if (!address.ok) return toError(address.message);
    return toReport(await transport.checkHealth({ ...address.value, service: grpc.service ?? '' }, options));
  }
  return toError(`missing probe handler for ${describePod(pod)}:${container.name}`);
}

function resolveAddress(
  asked: { readonly host?: string; readonly port: string | number },
  container: Container,
  podIp: string | undefined,
): Outcome<{ readonly host: string; readonly port: number }> {
  const port = resolvePort(asked.port, container);
  if (!port.ok) return port;
  const host = resolveHost(asked.host, podIp);
  if (!host.ok) return host;
  return { ok: true, value: { host: host.value, port: port.value } };
}

function toReport(failure: Pick<TransportFailure, 'message'> | undefined): ProbeReport {
  return failure === undefined
    ? { outcome: 'success', output: '' }
    : { outcome: 'failure', output: failure.message };
}

function toError(output: string): ProbeReport {
  return { outcome: 'error', output };
}
