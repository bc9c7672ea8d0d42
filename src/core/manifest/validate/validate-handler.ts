/**
 * Rules for probes and lifecycle hooks of a defaulted container: exactly one way to act, sane numbers.
 */
import type { IntOrString } from '../../api/meta.ts';
import type { HttpGetAction, Lifecycle, LifecycleHandler, Probe } from '../../api/pod.ts';
import { portNameFaults } from '../../api/validate-name.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  nonNegative,
  oneOf,
  requiredValue,
  withinRange,
} from '../field/field-error.ts';

export function* validateProbe(
  probe: Probe | undefined,
  role: 'liveness' | 'readiness' | 'startup',
  path: string,
): Generator<FieldError> {
  if (probe === undefined) return;
  yield* validateHandler(probe, path);
  const numbers = [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const;
  for (const field of numbers) yield* nonNegative(`${path}.${field}`, probe[field]);
  if (role !== 'readiness' && probe.successThreshold !== 1) {
    yield invalidValue(`${path}.successThreshold`, probe.successThreshold, 'must be 1');
  }
  const grace = probe.terminationGracePeriodSeconds;
  if (grace === undefined) return;
  const at = `${path}.terminationGracePeriodSeconds`;
  if (role === 'readiness') yield invalidValue(at, grace, 'must not be set for readinessProbes');
  if (grace <= 0) yield invalidValue(at, grace, 'must be greater than 0');
}

export function* validateLifecycle(
  lifecycle: Lifecycle | undefined,
  graceSeconds: number,
  osName: string | undefined,
  path: string,
): Generator<FieldError> {
  if (lifecycle === undefined) return;
  for (const hook of ['postStart', 'preStop'] as const) {
    const handler = lifecycle[hook];
    if (handler === undefined) continue;
    yield* validateHandler(handler, `${path}.${hook}`);
    const seconds = handler.sleep?.seconds;
    if (seconds !== undefined && (seconds < 0 || seconds > graceSeconds)) {
      const why = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
      yield invalidValue(`${path}.${hook}.sleep`, seconds, why);
    }
  }
  const { stopSignal } = lifecycle;
  if (stopSignal === undefined) return;
  if (osName === undefined) {
    const why = 'may not be set for containers with empty `spec.os.name`';
    yield forbiddenField(`${path}.stopSignal`, why);
  } else if (!/^SIG[A-Z0-9+-]+$/.test(stopSignal)) {
    yield invalidValue(`${path}.stopSignal`, stopSignal, 'must be the name of a signal such as SIGTERM');
  }
}

type Handler = LifecycleHandler & Probe;

function* validateHandler(handler: Handler, path: string): Generator<FieldError> {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  const given = Object.entries({ exec, httpGet, tcpSocket, grpc, sleep }).filter(
    ([, one]) => one !== undefined,
  );
  if (given.length === 0) yield requiredValue(path, 'must specify a handler type');
  for (const [name] of given.slice(1)) {
    yield forbiddenField(`${path}.${name}`, 'may not specify more than 1 handler type');
  }
  if (exec !== undefined && (exec.command ?? []).length === 0) yield requiredValue(`${path}.exec.command`);
  if (httpGet !== undefined) yield* validateHttpGet(httpGet, `${path}.httpGet`);
  if (tcpSocket !== undefined) yield* validatePort(tcpSocket.port, `${path}.tcpSocket.port`);
  if (grpc !== undefined) yield* validatePort(grpc.port, `${path}.grpc.port`);
}

function* validateHttpGet(httpGet: HttpGetAction, path: string): Generator<FieldError> {
  yield* validatePort(httpGet.port, `${path}.port`);
  yield* oneOf(`${path}.scheme`, httpGet.scheme, ['HTTP', 'HTTPS']);
  for (const header of httpGet.httpHeaders ?? []) {
    if (/^[-A-Za-z0-9]+$/.test(header.name)) continue;
    const why =
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
    yield invalidValue(`${path}.httpHeaders`, header.name, why);
  }
}

function* validatePort(port: IntOrString, path: string): Generator<FieldError> {
  if (typeof port === 'number') yield* withinRange(path, port, 1, 65535);
  else for (const why of portNameFaults(port)) yield invalidValue(path, port, why);
}
