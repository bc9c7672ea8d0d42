/**
 * Whether the node grants a running pod other resources. What can never be
 * done on this node is `Infeasible`; everything else goes through the same
 * checks as a new pod, and what they refuse is retried when there is room.
 */
import type { Pod } from '../api/pod.ts';
import { isStatic } from '../api/pod-identity.ts';
import { isSameRequirements, type ResizeGates } from '../model/granted-resources.ts';
import { containersOf } from '../model/pod-containers.ts';
import { cpuMilli, resourceBytes } from '../resources/pod-resources.ts';
import { computeQosClass } from '../resources/qos.ts';
import { mayUseSwap, type SwapNode } from '../resources/swap.ts';
import type { AdmissionFacts, AdmissionRefusal } from './admission-facts.ts';
import { type Admission, admitPod } from './admit-pod.ts';

export const INFEASIBLE = 'Infeasible';

export interface ResizeAdmissionFacts extends AdmissionFacts {
  readonly gates: ResizeGates;
  /** InPlacePodVerticalScalingExclusiveCPUs and …ExclusiveMemory. */
  readonly exclusiveCpus: boolean;
  readonly exclusiveMemory: boolean;
  readonly cpuManagerPolicy: string;
  readonly memoryManagerPolicy: string;
  readonly swapNode: SwapNode;
}

/** `pod` is as its spec asks for, `granted` as the node has it now. */
export function admitResize(pod: Pod, granted: Pod, facts: ResizeAdmissionFacts): Admission {
  const obstacle = findObstacle(pod, granted, facts);
  if (obstacle !== undefined) return { ok: false, reason: INFEASIBLE, ...obstacle };
  return admitPod(pod, facts);
}

type Obstacle = Pick<AdmissionRefusal, 'message' | 'detail'>;

function findObstacle(pod: Pod, granted: Pod, facts: ResizeAdmissionFacts): Obstacle | undefined {
  if (isStatic(granted))
    return { message: 'In-place resize of static-pods is not supported', detail: 'static_pod' };
  if (changesSwap(pod, granted, facts.swapNode))
    return {
      message: 'In-place resize of containers with swap is not supported.',
      detail: 'swap_limitation',
    };
  if (!facts.gates.podLevel && !isSameRequirements(pod.spec.resources, granted.spec.resources))
    return { message: 'InPlacePodLevelResourcesVerticalScaling is disabled', detail: 'feature_gate_off' };
  if (computeQosClass(pod, facts.podLevelResources) !== 'Guaranteed') return undefined;
  const refuses = (policy: string, gate: boolean, wanted: string): boolean => !gate && policy === wanted;
  if (refuses(facts.cpuManagerPolicy, facts.exclusiveCpus, 'static') && changesRequest(pod, granted, 'cpu'))
    return {
      message: 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"',
      detail: 'guaranteed_pod_cpu_manager_static_policy',
    };
  if (
    refuses(facts.memoryManagerPolicy, facts.exclusiveMemory, 'Static') &&
    changesRequest(pod, granted, 'memory')
  )
    return {
      message: 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"',
      detail: 'guaranteed_pod_memory_manager_static_policy',
    };
  return undefined;
}

/** How much swap a container gets follows from its memory request, and swap is not changed in place. */
function changesSwap(pod: Pod, granted: Pod, node: SwapNode): boolean {
  if (!node.swap.controllerAvailable || node.cgroupVersion === 1) return false;
  return pairs(pod, granted).some(([wanted, known]) => {
    const memory = (one: typeof wanted): number => resourceBytes(one.resources?.requests, 'memory');
    const policy = known.resizePolicy?.find(({ resourceName }) => resourceName === 'memory');
    if (memory(wanted) === memory(known) || policy?.restartPolicy === 'RestartContainer') return false;
    return mayUseSwap(pod, wanted, node) || mayUseSwap(granted, known, node);
  });
}

function changesRequest(pod: Pod, granted: Pod, resource: 'cpu' | 'memory'): boolean {
  const amount = (one: Pod['spec']['containers'][number]): number =>
    resource === 'cpu' ? cpuMilli(one.resources?.requests) : resourceBytes(one.resources?.requests, 'memory');
  return pairs(pod, granted).some(([wanted, known]) => amount(wanted) !== amount(known));
}

type Container = Pod['spec']['containers'][number];

function pairs(pod: Pod, granted: Pod): [Container, Container][] {
  const known = new Map(containersOf(granted).map((one) => [one.name, one]));
  return containersOf(pod).flatMap((wanted): [Container, Container][] => {
    const before = known.get(wanted.name);
    return before === undefined ? [] : [[wanted, before]];
  });
}
