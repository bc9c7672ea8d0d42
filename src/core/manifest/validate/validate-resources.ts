/**
 * Rules for requests and limits: known resource names, no negative amounts, requests within limits.
 */
import type { PodSpec, ResourceList, ResourceRequirements } from '../../api/pod.ts';
import { compareQuantities, isWholeQuantity, type Quantity, tryParseQuantity } from '../../api/quantity.ts';
import { qualifiedNameFaults } from '../../api/validate-name.ts';
import { HUGEPAGES_PREFIX, isHugePages } from '../../resources/hugepages.ts';
import { addUp } from '../field/add-up-resources.ts';
import { type FieldError, forbiddenField, invalidValue, requiredValue } from '../field/field-error.ts';

const NATIVE = ['cpu', 'memory', 'ephemeral-storage'];

export function* validateResources(resources: ResourceRequirements, path: string): Generator<FieldError> {
  const { limits = {}, requests = {} } = resources;
  for (const [name, text] of Object.entries(limits))
    yield* validateAmount(name, text, `${path}.limits[${name}]`);
  for (const [name, text] of Object.entries(requests)) {
    yield* validateAmount(name, text, `${path}.requests[${name}]`);
    yield* validateAgainstLimit(name, text, limits[name], path);
  }
  const names = Object.keys({ ...limits, ...requests });
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    yield forbiddenField(path, 'HugePages require cpu or memory');
  }
}

/** Pod-level resources: fewer names, and a container's limit may not pass the pod's. */
export function* validatePodResources(spec: PodSpec, path: string): Generator<FieldError> {
  const { resources } = spec;
  if (resources === undefined) return;
  yield* validateResources(resources, path);
  for (const part of ['limits', 'requests'] as const) {
    for (const name of Object.keys(resources[part] ?? {})) {
      if (name === 'cpu' || name === 'memory' || isHugePages(name)) continue;
      yield invalidValue(
        `${path}.${part}[${name}]`,
        name,
        'must be cpu, memory or hugepages-<size> for a pod',
      );
    }
  }
  const needed = addUp(spec, 'requests');
  for (const [name, text] of Object.entries(resources.requests ?? {})) {
    if (!isLess(text, needed[name])) continue;
    const why = `must be greater than or equal to aggregate container requests of ${needed[name]}`;
    yield invalidValue(`${path}.requests[${name}]`, text, why);
  }
  for (const kind of ['containers', 'initContainers'] as const) {
    for (const [index, container] of (spec[kind] ?? []).entries()) {
      const at = `spec.${kind}[${index}].resources.limits`;
      yield* validateBelowPod(container.resources?.limits ?? {}, resources.limits ?? {}, at);
    }
  }
}

function* validateBelowPod(own: ResourceList, pod: ResourceList, path: string): Generator<FieldError> {
  for (const [name, text] of Object.entries(own)) {
    if (!isLess(pod[name], text)) continue;
    yield invalidValue(`${path}[${name}]`, text, `must be less than or equal to pod limits of ${pod[name]}`);
  }
}

/** True when both are quantities and the first is less. */
function isLess(text: string | undefined, than: string | undefined): boolean {
  const one = tryParseQuantity(text ?? '');
  const other = tryParseQuantity(than ?? '');
  return one !== undefined && other !== undefined && compareQuantities(one, other) < 0;
}

function* validateAmount(name: string, text: string, path: string): Generator<FieldError> {
  yield* validateName(name, path);
  const quantity = tryParseQuantity(text);
  if (quantity === undefined) {
    yield invalidValue(path, text, 'must be a quantity such as 100m, 1.5 or 64Mi');
    return;
  }
  if (quantity.nanos < 0n) yield invalidValue(path, text, 'must be greater than or equal to 0');
  const page = isHugePages(name) ? tryParseQuantity(name.slice(HUGEPAGES_PREFIX.length)) : undefined;
  if (page !== undefined && page.nanos > 0n && quantity.nanos % page.nanos !== 0n) {
    yield invalidValue(path, text, `${text} is not positive integer multiple of ${name}`);
  }
  if (!mayBeFraction(name, quantity)) yield invalidValue(path, text, 'must be an integer');
}

function* validateName(name: string, path: string): Generator<FieldError> {
  if (!name.includes('/')) {
    if (NATIVE.includes(name) || isHugePages(name)) return;
    yield invalidValue(path, name, 'must be a standard resource for containers');
    return;
  }
  if (name.startsWith('requests.')) {
    yield invalidValue(path, name, "doesn't follow extended resource name standard");
  }
  for (const why of qualifiedNameFaults(name)) yield invalidValue(path, name, why);
}

function* validateAgainstLimit(
  name: string,
  text: string,
  limitText: string | undefined,
  path: string,
): Generator<FieldError> {
  const at = `${path}.requests[${name}]`;
  if (limitText === undefined) {
    if (mayOvercommit(name)) return;
    yield requiredValue(`${path}.limits[${name}]`, 'Limit must be set for non overcommitable resources');
    return;
  }
  const request = tryParseQuantity(text);
  const limit = tryParseQuantity(limitText);
  if (request === undefined || limit === undefined) return;
  const order = compareQuantities(request, limit);
  if (order !== 0 && !mayOvercommit(name)) {
    yield invalidValue(at, text, `must be equal to ${name} limit of ${limitText}`);
  } else if (order > 0) {
    yield invalidValue(at, text, `must be less than or equal to ${name} limit of ${limitText}`);
  }
}

/** Resources of the node itself may be promised more than once; devices and huge pages may not. */
function mayOvercommit(name: string): boolean {
  const native = !name.includes('/') || name.includes('kubernetes.io/');
  return native && !isHugePages(name);
}

/** Devices are counted, not divided. */
function mayBeFraction(name: string, quantity: Quantity): boolean {
  return NATIVE.includes(name) || isWholeQuantity(quantity);
}
