/**
 * Values of requests and limits shown to containers (`resourceFieldRef`). A
 * missing limit is shown as what the container can really use: the pod's
 * limit, else what the node offers to pods.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { Container, Pod, ResourceFieldSelector, ResourceList } from '../api/pod.ts';
import { parseQuantity, quantityToBytes, quantityToMilli } from '../api/quantity.ts';
import type { NodeProfile } from '../model/node-profile.ts';

const REFERENCE = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/s;
const NODE_DEFAULTED = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** The amount divided by the divisor, rounded up, as decimal text. */
export function toResourceValue(
  pod: Pod,
  container: Container,
  selector: ResourceFieldSelector,
  node: Pick<NodeProfile, 'allocatable' | 'features'>,
): Outcome<string> {
  const target = findTarget(pod, container, selector.containerName);
  if (target === undefined) return refuse(`container ${selector.containerName} not found`);
  const match = REFERENCE.exec(selector.resource);
  if (match === null) return refuse(`unsupported container resource : ${selector.resource}`);
  const kind = match[1] === 'limits' ? 'limits' : 'requests';
  const name = match[2] ?? '';
  const own = target.container.resources?.[kind];
  const list =
    kind === 'limits' && target.defaulted && isZero(own, name) ? defaultLimit(pod, node, name) : own;
  return accept(divide(list?.[name] ?? '0', selector.divisor, name === 'cpu'));
}

function findTarget(
  pod: Pod,
  container: Container,
  name: string | undefined,
): { container: Container; defaulted: boolean } | undefined {
  if (!name) return { container, defaulted: true };
  const regular = pod.spec.containers.find((candidate) => candidate.name === name);
  if (regular !== undefined) return { container: regular, defaulted: true };
  const init = pod.spec.initContainers?.find((candidate) => candidate.name === name);
  // An init container asked for by name, even by itself, is shown as written.
  return init === undefined ? undefined : { container: init, defaulted: false };
}

function isZero(list: ResourceList | undefined, name: string): boolean {
  const text = list?.[name];
  return text === undefined || parseQuantity(text).nanos === 0n;
}

function defaultLimit(
  pod: Pod,
  node: Pick<NodeProfile, 'allocatable' | 'features'>,
  name: string,
): ResourceList | undefined {
  if (!NODE_DEFAULTED.has(name)) return undefined;
  const podLevel = node.features('PodLevelResources') ? pod.spec.resources?.limits : undefined;
  if (name !== 'ephemeral-storage' && !isZero(podLevel, name)) return podLevel;
  return node.allocatable;
}

function divide(amount: string, divisorText: string | undefined, cpu: boolean): string {
  const divisor = parseQuantity(divisorText ?? '1');
  const by = divisor.nanos === 0n ? parseQuantity('1') : divisor;
  const units = cpu ? quantityToMilli : quantityToBytes;
  return String(Math.ceil(units(parseQuantity(amount)) / units(by)));
}
