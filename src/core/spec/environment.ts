/**
 * A container's environment. Precedence, lowest first: service variables,
 * `envFrom` in order, `env` in order; variables of devices stand before all
 * of them and are not compared.
 */
import type { Container, EnvFromSource, EnvVar, KeySelector, Pod } from '../api/pod.ts';
import { isStatic } from '../api/pod-identity.ts';
import { findInEnvFile } from './env-file.ts';
import type { EnvironmentObjects, ObjectLookup } from './environment-objects.ts';
import { expand } from './expand.ts';
import { toFieldValue } from './field-reference.ts';
import type { NodeFacts } from './node-facts.ts';
import { accept, type Outcome, refuse } from './outcome.ts';
import { quote } from './quote.ts';
import { toResourceValue } from './resource-reference.ts';
import { toServiceEnvironment } from './service-environment.ts';

export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly podIps: readonly string[];
  readonly objects: EnvironmentObjects;
  readonly node: Pick<NodeFacts, 'nodeIps' | 'allocatable' | 'features'>;
  readonly deviceEnv?: readonly EnvironmentVariable[];
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value: string;
}

/** The variables in order; refused with the text the user sees when a source is missing. */
export function toEnvironment(input: EnvironmentInput): Outcome<EnvironmentVariable[]> {
  const services = serviceVariables(input);
  if (!services.ok) return services;
  const own = new Map<string, string>();
  for (const source of input.container.envFrom ?? []) {
    const added = addSource(own, source, input);
    if (!added.ok) return added;
  }
  for (const variable of input.container.env ?? []) {
    const value = variable.value
      ? accept(expand(variable.value, (name) => own.get(name) ?? services.value.get(name)))
      : toSourcedValue(variable, input);
    if (!value.ok) return value;
    if (value.value !== undefined) own.set(variable.name, value.value);
  }
  const all = new Map([...own, ...[...services.value].filter(([name]) => !own.has(name))]);
  return accept([...(input.deviceEnv ?? []), ...[...all].map(([name, value]) => ({ name, value }))]);
}

/** Variables as expansion sees them: of equal names the last wins. */
export function toVariableLookup(env: readonly EnvironmentVariable[]): (name: string) => string | undefined {
  const values = new Map(env.map(({ name, value }) => [name, value]));
  return (name) => values.get(name);
}

function serviceVariables({ pod, objects }: EnvironmentInput): Outcome<Map<string, string>> {
  const { enableServiceLinks } = pod.spec;
  if (enableServiceLinks === undefined) {
    return refuse('nil pod.spec.enableServiceLinks encountered, cannot construct envvars');
  }
  const services = objects.services();
  if (services === undefined && !isStatic(pod)) {
    return refuse('services have not yet been read at least once, cannot construct envvars');
  }
  return accept(toServiceEnvironment(services ?? [], pod.metadata.namespace, enableServiceLinks));
}

function addSource(own: Map<string, string>, source: EnvFromSource, input: EnvironmentInput): Outcome<void> {
  const { prefix = '', configMapRef, secretRef } = source;
  for (const [kind, reference] of [
    ['configMap', configMapRef],
    ['secret', secretRef],
  ] as const) {
    if (reference === undefined) continue;
    const data = readObject(kind, reference, input);
    if (!data.ok) return data;
    for (const [key, value] of Object.entries(data.value ?? {})) own.set(prefix + key, value);
  }
  return accept(undefined);
}

/** Undefined leaves the variable out. Values from elsewhere are never expanded. */
function toSourcedValue({ valueFrom }: EnvVar, input: EnvironmentInput): Outcome<string | undefined> {
  const { pod, container, podIps, node } = input;
  if (valueFrom?.fieldRef !== undefined) {
    return toFieldValue(pod, valueFrom.fieldRef, { podIps, nodeIps: node.nodeIps });
  }
  if (valueFrom?.resourceFieldRef !== undefined) {
    return toResourceValue(pod, container, valueFrom.resourceFieldRef, node);
  }
  if (valueFrom?.configMapKeyRef !== undefined)
    return toKeyValue('configMap', valueFrom.configMapKeyRef, input);
  if (valueFrom?.secretKeyRef !== undefined) return toKeyValue('secret', valueFrom.secretKeyRef, input);
  if (valueFrom?.fileKeyRef !== undefined) return toFileValue(valueFrom.fileKeyRef, input);
  return accept('');
}

type ObjectKind = 'configMap' | 'secret';

function toKeyValue(
  kind: ObjectKind,
  selector: KeySelector,
  input: EnvironmentInput,
): Outcome<string | undefined> {
  const data = readObject(kind, selector, input);
  if (!data.ok) return data;
  if (data.value === undefined) return accept(undefined);
  const value = Object.hasOwn(data.value, selector.key) ? data.value[selector.key] : undefined;
  if (value !== undefined || selector.optional === true) return accept(value);
  const place = `${input.pod.metadata.namespace}/${selector.name ?? ''}`;
  return refuse(
    `couldn't find key ${selector.key} in ${kind === 'configMap' ? 'ConfigMap' : 'Secret'} ${place}`,
  );
}

/** The object's data; undefined when it is missing and may be. */
function readObject(
  kind: ObjectKind,
  reference: { readonly name?: string; readonly optional?: boolean },
  { pod, objects }: EnvironmentInput,
): Outcome<Readonly<Record<string, string>> | undefined> {
  const { namespace } = pod.metadata;
  const name = reference.name ?? '';
  const found: ObjectLookup = objects[kind](namespace, name);
  switch (found.kind) {
    case 'found':
      return accept(found.data);
    case 'missing':
      if (reference.optional === true) return accept(undefined);
      return refuse(`${kind.toLowerCase()} ${quote(name)} not found`);
    case 'failed':
      return refuse(found.message);
    case 'no-api':
      return refuse(`couldn't get ${kind} ${namespace}/${name}, no kubeClient defined`);
  }
}

function toFileValue(
  reference: { volumeName: string; path: string; key: string; optional?: boolean },
  { objects }: EnvironmentInput,
): Outcome<string | undefined> {
  const { volumeName, path, key, optional } = reference;
  const file = objects.file(volumeName, path);
  if (file.kind === 'no-volume') {
    return refuse(`cannot find the volume ${quote(volumeName)} referenced by FileKeyRef`);
  }
  if (file.kind === 'unreadable') return refuse("couldn't parse env file");
  const value = findInEnvFile(file.text, key);
  if (!value.ok || value.value) return value;
  if (optional === true) return accept(undefined);
  return refuse(`environment variable key ${quote(key)} not found in file ${quote(path)}`);
}
