/** `tree`: a pod and what it is made of, down to its processes, with lines that show what belongs to what. */
import type { PodProcess } from '../../../adapters/linux/machine/list-pod-processes.ts';
import { escapeLine } from '../../../base/text/terminal-text.ts';
import type { Container, PodSpec } from '../../../core/api/pod.ts';
import type { ContainerState, ContainerStatus } from '../../../core/api/pod-status.ts';
import { podMembers } from '../../../core/model/pod-containers.ts';
import type { CliPod } from '../ask/choose-pod.ts';

export interface TreeNode {
  readonly title: string;
  readonly children: readonly TreeNode[];
}

const ID_LENGTH = 12;
/** Of processes: a container may nest as many as it likes. */
const MAX_LEVELS = 64;
const TITLES = {
  init: 'init container',
  sidecar: 'sidecar',
  regular: 'container',
  ephemeral: 'ephemeral container',
};

/** `processes` may be those of all pods. */
export function toPodTree(pod: CliPod, processes: readonly PodProcess[]): TreeNode {
  const { metadata, spec, status = {} } = pod;
  const own = processes.filter(({ podUid }) => podUid === metadata.uid.replaceAll(/[^0-9a-f-]/g, ''));
  const statuses = [
    ...(status.initContainerStatuses ?? []),
    ...(status.containerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
  const members = podMembers({ spec }).map(({ container, role }) => {
    const found = statuses.find(({ name }) => name === container.name);
    return toContainerNode(TITLES[role], container, found, spec.volumes ?? [], own);
  });
  const known = new Set(statuses.map(toId));
  const sandboxes = Map.groupBy(
    own.filter(({ containerId }) => !known.has(containerId)),
    ({ containerId }) => containerId,
  );
  return {
    title: `${metadata.namespace}/${metadata.name} (${status.phase ?? 'Pending'})`,
    children: [...[...sandboxes].map(([id, inside]) => toSandboxNode(id, inside, pod)), ...members],
  };
}

function toSandboxNode(id: string, inside: readonly PodProcess[], { status }: CliPod): TreeNode {
  const network = status?.podIP === undefined ? '' : `, ${status.podIP}`;
  return {
    title: `sandbox ${id.slice(0, ID_LENGTH)}${network}`,
    children: [...toCgroupNodes(inside), ...toProcessNodes(inside)],
  };
}

function toContainerNode(
  title: string,
  { name, image = '', volumeMounts = [] }: Container,
  status: ContainerStatus | undefined,
  volumes: NonNullable<PodSpec['volumes']>,
  processes: readonly PodProcess[],
): TreeNode {
  const id = status === undefined ? '' : toId(status);
  const inside = processes.filter(({ containerId }) => containerId === id);
  const mounts = volumeMounts.map(({ mountPath, name: volume, readOnly }) => {
    const kind = Object.keys(volumes.find((one) => one.name === volume) ?? {}).find((key) => key !== 'name');
    return leaf(`mount ${mountPath} from ${volume} (${kind ?? 'unknown'}${readOnly === true ? ', ro' : ''})`);
  });
  const shown = id === '' ? '' : ` ${id.slice(0, ID_LENGTH)}`;
  return {
    title: `${title} ${name}${shown} (${renderState(status?.state ?? {})})`,
    children: [leaf(`image ${image}`), ...toCgroupNodes(inside), ...mounts, ...toProcessNodes(inside)],
  };
}

function toCgroupNodes([first]: readonly PodProcess[]): TreeNode[] {
  return first === undefined ? [] : [leaf(`cgroup ${first.cgroup}`)];
}

/** Children below their parents, as far as both are in the same container; those on the last level side by side. */
function toProcessNodes(processes: readonly PodProcess[]): TreeNode[] {
  const pids = new Set(processes.map(({ pid }) => pid));
  const byParent = Map.groupBy(processes, ({ parentPid }) => parentPid);
  const toNodes = (siblings: readonly PodProcess[], level: number): TreeNode[] => {
    const isLast = level === MAX_LEVELS;
    return (isLast ? withDescendants(siblings, byParent) : siblings).map(({ pid, command }) => ({
      title: `process ${pid} ${command}`,
      children: isLast ? [] : toNodes(byParent.get(pid) ?? [], level + 1),
    }));
  };
  const roots = processes.filter(({ parentPid }) => !pids.has(parentPid));
  return toNodes(roots, 1);
}

function withDescendants(
  siblings: readonly PodProcess[],
  byParent: ReadonlyMap<number, readonly PodProcess[]>,
): PodProcess[] {
  const found = [...siblings];
  // Grows while it is gone through.
  for (const { pid } of found) for (const child of byParent.get(pid) ?? []) found.push(child);
  return found;
}

function renderState({ running, terminated, waiting }: ContainerState): string {
  if (running !== undefined) return 'running';
  if (terminated !== undefined) return `ended with exit code ${terminated.exitCode}`;
  return `waiting${waiting?.reason === undefined ? '' : `: ${waiting.reason}`}`;
}

/** Without the name of the runtime. */
function toId({ containerID = '' }: ContainerStatus): string {
  return containerID.slice(containerID.indexOf('//') + 2);
}

function leaf(title: string): TreeNode {
  return { title, children: [] };
}

/** Ends in a newline; no title can pass for a line of its own. */
export function renderTree({ title, children }: TreeNode, margin = ''): string {
  const below = children.map((child, index) => {
    const isLast = index === children.length - 1;
    const text = renderTree(child, `${margin}${isLast ? '   ' : '│  '}`);
    return `${margin}${isLast ? '└─ ' : '├─ '}${text}`;
  });
  return `${escapeLine(title)}\n${below.join('')}`;
}
