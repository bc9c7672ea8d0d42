/**
 * Images that a container mounts as volumes: each is on the machine before
 * the container is made. One that is unavailable fails only the containers
 * that show it, with the reasons of a pull.
 */
import type { StartContainer } from '../../core/model/actions.ts';
import type { SandboxConfig } from '../../core/model/sandbox-config.ts';
import type { PreparedVolume } from '../../core/spec/mounts.ts';
import type { ImageAnswer, ImagePuller } from '../image/image-puller.ts';
import type { ActionContext } from '../pod/perform-action.ts';

export type ImageVolumes =
  | { readonly ok: true; readonly volumes: ReadonlyMap<string, PreparedVolume> }
  | Extract<ImageAnswer, { ok: false }>;

/** By volume name. Rejects only when the pass was aborted. */
export async function ensureImageVolumes(
  puller: Pick<ImagePuller, 'ensure'>,
  { container }: StartContainer,
  { record, signal, label }: ActionContext,
  sandboxConfig: SandboxConfig,
  runtimeHandler: string,
): Promise<ImageVolumes> {
  const { pod, uid } = record;
  const mounted = new Set((container.volumeMounts ?? []).map(({ name }) => name));
  const volumes = new Map<string, PreparedVolume>();
  for (const { name, image } of pod.spec.volumes ?? []) {
    if (image === undefined || !mounted.has(name)) continue;
    const answer = await puller.ensure({
      uid,
      pod,
      image: image.reference ?? '',
      policy: image.pullPolicy ?? 'IfNotPresent',
      sandboxConfig,
      runtimeHandler,
      signal,
      label,
    });
    if (!answer.ok) return answer;
    const shown = { ref: answer.imageId, userSpecified: image.reference ?? '', runtimeHandler };
    volumes.set(name, { hostPath: '', readOnly: true, selinuxRelabel: false, image: shown });
  }
  return { ok: true, volumes };
}
