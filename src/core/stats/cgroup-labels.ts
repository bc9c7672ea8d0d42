/** What a cgroup is to Kubernetes, as the labels of its series. */
import type { Pod } from '../api/pod.ts';
import type { ObservedContainer, ObservedSandbox } from '../model/observed-pod.ts';
import { allContainersOf } from '../model/pod-containers.ts';
import type { CgroupLabels } from './cgroup-details.ts';

/** Of the machine, and of cgroups that hold others. */
export function toBareLabels(id: string): CgroupLabels {
  return { container: '', id, image: '', name: '', namespace: '', pod: '' };
}

/** Of a pod as a whole; empty where only the cgroup is left of it. */
export function toPodLabels(id: string, sandbox: ObservedSandbox | undefined): CgroupLabels {
  return { ...toBareLabels(id), namespace: sandbox?.podNamespace ?? '', pod: sandbox?.podName ?? '' };
}

export function toSandboxLabels(id: string, sandbox: ObservedSandbox, image: string): CgroupLabels {
  return { ...toPodLabels(id, sandbox), image, name: sandbox.id };
}

export function toContainerSeriesLabels(
  id: string,
  container: ObservedContainer,
  sandbox: ObservedSandbox | undefined,
  pod: Pod | undefined,
): CgroupLabels {
  return {
    ...toPodLabels(id, sandbox),
    container: container.name,
    image: toImageName(container, pod),
    name: container.id,
  };
}

/** A name rather than an identity, which is what the runtime prints for an image without tag. */
function toImageName({ image, name }: ObservedContainer, pod: Pod | undefined): string {
  if (!/^(sha256:)?[0-9a-f]{64}$/.test(image)) return image;
  return (pod && allContainersOf(pod).find((container) => container.name === name)?.image) ?? image;
}

/** The id of the container in the name of its cgroup: the whole name, or the end of a scope of systemd. */
export function toContainerIdOfCgroup(name: string): string {
  return /-([0-9a-zA-Z]+)\.scope$/.exec(name)?.[1] ?? name;
}

/**
 * The name of the image that sandboxes run: runtimes pin it, so that it is not
 * collected. Empty where several are pinned and none has the usual name.
 */
export function pickSandboxImage(
  images: readonly { readonly pinned: boolean; readonly repoTags: readonly string[] }[],
): string {
  const names = images.filter(({ pinned }) => pinned).flatMap(({ repoTags }) => repoTags.slice(0, 1));
  return names.find((name) => /(^|\/)pause(:|$)/.test(name)) ?? (names.length === 1 ? (names[0] ?? '') : '');
}
