/**
 * API defaults of one container and of the probes, hooks, ports and variables in it.
 */
import type {
  Container,
  ContainerPort,
  EnvVar,
  HttpGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  PullPolicy,
} from '../api/pod.ts';
import { defaultResources } from './default-resources.ts';
import { isMovingImage } from './image-reference.ts';

/** Whether quantities are rounded and printed canonically, or stay as the manifest has them. */
export type QuantityStyle = 'canonical' | 'as written';

export interface ContainerDefaults {
  /** In a pod (unlike a template) a limit without a request is also the request. */
  readonly fillRequests: boolean;
  /** On the host's network a container port is a host port. */
  readonly hostNetwork: boolean;
  readonly quantities: QuantityStyle;
}

export function defaultContainer(container: Container, how: ContainerDefaults): Container {
  const { ports, env, lifecycle, resources } = container;
  return {
    ...container,
    imagePullPolicy: container.imagePullPolicy || decidePullPolicy(container.image ?? ''),
    terminationMessagePath: container.terminationMessagePath || '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy || 'File',
    ...(ports === undefined ? {} : { ports: ports.map((port) => defaultPort(port, how.hostNetwork)) }),
    ...(env === undefined ? {} : { env: env.map((one) => defaultVariable(one, how.quantities)) }),
    ...(lifecycle === undefined ? {} : { lifecycle: defaultLifecycle(lifecycle) }),
    ...(resources === undefined ? {} : { resources: defaultResources(resources, how) }),
    ...defaultProbes(container),
  };
}

/** Always for a moving tag (`latest`, or none and no digest), else, and for what is no reference, IfNotPresent. */
export function decidePullPolicy(image: string): PullPolicy {
  return isMovingImage(image) ? 'Always' : 'IfNotPresent';
}

function defaultPort(port: ContainerPort, hostNetwork: boolean): ContainerPort {
  const onHost = hostNetwork && !port.hostPort ? { hostPort: port.containerPort } : {};
  return { ...port, ...onHost, protocol: port.protocol || 'TCP' };
}

function defaultVariable(variable: EnvVar, quantities: QuantityStyle): EnvVar {
  const { valueFrom } = variable;
  if (valueFrom === undefined) return variable;
  const { fileKeyRef } = valueFrom;
  const optional = fileKeyRef?.optional ?? false;
  return {
    ...variable,
    valueFrom: {
      ...defaultFieldRefs(valueFrom, quantities),
      ...(fileKeyRef === undefined ? {} : { fileKeyRef: { ...fileKeyRef, optional } }),
    },
  };
}

interface FieldRefs {
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
  readonly resourceFieldRef?: { readonly divisor?: string };
}

/** Fills what a reference to a field of the pod leaves out; for variables and downward API files alike. */
export function defaultFieldRefs<T extends FieldRefs>(refs: T, quantities: QuantityStyle): T {
  const { fieldRef, resourceFieldRef } = refs;
  return {
    ...refs,
    ...(fieldRef === undefined ? {} : { fieldRef: { ...fieldRef, apiVersion: fieldRef.apiVersion || 'v1' } }),
    ...(resourceFieldRef === undefined || quantities === 'as written'
      ? {}
      : { resourceFieldRef: { ...resourceFieldRef, divisor: resourceFieldRef.divisor ?? '0' } }),
  };
}

function defaultProbes(container: Container): Partial<Container> {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  return {
    ...(livenessProbe === undefined ? {} : { livenessProbe: defaultProbe(livenessProbe) }),
    ...(readinessProbe === undefined ? {} : { readinessProbe: defaultProbe(readinessProbe) }),
    ...(startupProbe === undefined ? {} : { startupProbe: defaultProbe(startupProbe) }),
  };
}

function defaultProbe(probe: Probe): Probe {
  const { grpc } = probe;
  return {
    ...defaultHandler(probe),
    ...(grpc === undefined ? {} : { grpc: { ...grpc, service: grpc.service ?? '' } }),
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}

function defaultLifecycle(lifecycle: Lifecycle): Lifecycle {
  const { postStart, preStop } = lifecycle;
  return {
    ...lifecycle,
    ...(postStart === undefined ? {} : { postStart: defaultHandler(postStart) }),
    ...(preStop === undefined ? {} : { preStop: defaultHandler(preStop) }),
  };
}

function defaultHandler<T extends LifecycleHandler | Probe>(handler: T): T {
  const { httpGet } = handler;
  return httpGet === undefined ? handler : { ...handler, httpGet: defaultHttpGet(httpGet) };
}

function defaultHttpGet(httpGet: HttpGetAction): HttpGetAction {
  return { ...httpGet, path: httpGet.path || '/', scheme: httpGet.scheme || 'HTTP' };
}
