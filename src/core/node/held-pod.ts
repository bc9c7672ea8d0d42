/**
 * What a pod holds of the node while its resources change: the larger of what
 * it was granted and what is still in force. Otherwise another pod could be
 * granted what a shrinking pod has not released yet.
 */
import type { Container, Pod, ResourceList } from '../api/pod.ts';
import { compareQuantities, parseQuantity } from '../api/quantity.ts';
import type { GrantedResources } from '../model/granted-resources.ts';

/** The granted pod with requests raised to those in force; the same object when it holds no more. */
export function toHeldPod(granted: Pod, actuated: GrantedResources | undefined): Pod {
  if (actuated === undefined) return granted;
  const raise = (list: readonly Container[]): readonly Container[] => {
    const raised = list.map((one) => raiseContainer(one, actuated));
    return raised.every((one, index) => one === list[index]) ? list : raised;
  };
  const { spec } = granted;
  const containers = raise(spec.containers);
  const initContainers = spec.initContainers && raise(spec.initContainers);
  const requests = raiseList(spec.resources?.requests, actuated.pod?.requests);
  const isSame =
    containers === spec.containers &&
    initContainers === spec.initContainers &&
    requests === spec.resources?.requests;
  if (isSame) return granted;
  return {
    ...granted,
    spec: {
      ...spec,
      containers,
      ...(initContainers !== undefined && { initContainers }),
      ...(requests !== undefined && { resources: { ...spec.resources, requests } }),
    },
  };
}

function raiseContainer(container: Container, { containers }: GrantedResources): Container {
  const inForce = Object.hasOwn(containers, container.name) ? containers[container.name] : undefined;
  const requests = raiseList(container.resources?.requests, inForce?.requests);
  if (requests === container.resources?.requests || requests === undefined) return container;
  return { ...container, resources: { ...container.resources, requests } };
}

/** Only what is asked for now is raised: the sum of a pod is over the resources it names. */
function raiseList(
  list: ResourceList | undefined,
  other: ResourceList | undefined,
): ResourceList | undefined {
  if (list === undefined || other === undefined) return list;
  const higher = Object.entries(other).filter(([name, text]) => {
    const own = list[name];
    return own !== undefined && compareQuantities(parseQuantity(text), parseQuantity(own)) > 0;
  });
  return higher.length === 0 ? list : { ...list, ...Object.fromEntries(higher) };
}
