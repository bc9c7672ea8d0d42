/**
 * A container's environment. Precedence, lowest first: service variables,
 * `envFrom` in order, `env` in order; variables of devices stand before all
 * of them and are not compared.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { expand } from '../../base/text/expand.ts';
import { quote } from '../../base/text/quote.ts';
import type { Container, EnvFromSource, EnvVar, KeySelector, Pod } from '../api/pod.ts';
import { isStatic } from '../api/pod-identity.ts';
import type { EnvironmentVariable } from '../model/container-config.ts';
import type { EnvironmentObjects, ObjectLookup } from '../model/environment-objects.ts';
import type { NodeProfile } from '../model/node-profile.ts';
import { findInEnvFile } from './env-file.ts';
import { toFieldValue } from './field-reference.ts';
import { toResourceValue } from './resource-reference.ts';
import { toServiceEnvironment } from './service-environment.ts';

export interface EnvironmentInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly podIps: readonly string[];
  readonly objects: EnvironmentObjects;
  readonly node: Pick<NodeProfile, 'nodeIps' | 'allocatable' | 'features'>;
  readonly deviceEnv?: readonly EnvironmentVariable[];
}

/** The variables in order; refused with the text the user sees when a source is missing. */
export function toEnvironment(input: EnvironmentInput): Outcome<EnvironmentVariable[]> {
  const services = serviceVariables(input);
  if (!services.ok) return services;
  const own = new Map<string, Value>();
  for (const source of input.container.envFrom ?? []) {
    const added = addSource(own, source, input);
    if (!added.ok) return added;
  }
  for (const variable of input.container.env ?? []) {
    const value = variable.value
      ? accept({ value: expand(variable.value, (name) => own.get(name)?.value ?? services.value.get(name)) })
      : toSourcedValue(variable, input);
    if (!value.ok) return value;
    if (value.value !== undefined) own.set(variable.name, value.value);
  }
  return accept([
    ...(input.deviceEnv ?? []),
    ...[...own].map(([name, value]) => ({ name, ...value })),
    ...[...services.value].filter(([name]) => !own.has(name)).map(([name, value]) => ({ name, value })),
  ]);
}

type Value = Omit<EnvironmentVariable, 'name'>;

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

function addSource(own: Map<string, Value>, source: EnvFromSource, input: EnvironmentInput): Outcome<void> {
  const { prefix = '', configMapRef, secretRef } = source;
  for (const [kind, reference] of [
    ['configMap', configMapRef],
    ['secret', secretRef],
  ] as const) {
    if (reference === undefined) continue;
    const data = readObject(kind, reference, input);
    if (!data.ok) return data;
    for (const key of Object.keys(data.value?.data ?? {})) own.set(prefix + key, valueAt(data.value, key));
  }
  return accept(undefined);
}

/** Undefined leaves the variable out. Values from elsewhere are never expanded. */
function toSourcedValue({ valueFrom }: EnvVar, input: EnvironmentInput): Outcome<Value | undefined> {
  const { pod, container, podIps, node } = input;
  if (valueFrom?.fieldRef !== undefined) {
    return toText(toFieldValue(pod, valueFrom.fieldRef, { podIps, nodeIps: node.nodeIps() }));
  }
  if (valueFrom?.resourceFieldRef !== undefined) {
    return toText(toResourceValue(pod, container, valueFrom.resourceFieldRef, node));
  }
  if (valueFrom?.configMapKeyRef !== undefined)
    return toKeyValue('configMap', valueFrom.configMapKeyRef, input);
  if (valueFrom?.secretKeyRef !== undefined) return toKeyValue('secret', valueFrom.secretKeyRef, input);
  if (valueFrom?.fileKeyRef !== undefined) return toText(toFileValue(valueFrom.fileKeyRef, input));
  return accept({ value: '' });
}

function toText(text: Outcome<string | undefined>): Outcome<Value | undefined> {
  if (!text.ok) return text;
  return accept(text.value === undefined ? undefined : { value: text.value });
}

type ObjectKind = 'configMap' | 'secret';

function toKeyValue(
  kind: ObjectKind,
  selector: KeySelector,
  input: EnvironmentInput,
): Outcome<Value | undefined> {
  const found = readObject(kind, selector, input);
  if (!found.ok) return found;
  if (found.value === undefined) return accept(undefined);
  if (Object.hasOwn(found.value.data, selector.key)) return accept(valueAt(found.value, selector.key));
  if (selector.optional === true) return accept(undefined);
  const place = `${input.pod.metadata.namespace}/${selector.name ?? ''}`;
  return refuse(
    `couldn't find key ${selector.key} in ${kind === 'configMap' ? 'ConfigMap' : 'Secret'} ${place}`,
  );
}

/** Bytes beside no text are a ConfigMap's binary data, which is no source of variables. */
function valueAt(found: FoundObject | undefined, key: string): Value {
  const bytes = found?.bytes !== undefined && Object.hasOwn(found.bytes, key) ? found.bytes[key] : undefined;
  return { value: found?.data[key] ?? '', ...(bytes === undefined ? {} : { bytes }) };
}

type FoundObject = Extract<ObjectLookup, { kind: 'found' }>;

/** Undefined when the object is missing and may be. */
function readObject(
  kind: ObjectKind,
  reference: { readonly name?: string; readonly optional?: boolean },
  { pod, objects }: EnvironmentInput,
): Outcome<FoundObject | undefined> {
  const { namespace } = pod.metadata;
  const name = reference.name ?? '';
  const found: ObjectLookup = objects[kind](namespace, name);
  switch (found.kind) {
    case 'found':
      return accept(found);
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
