/**
 * Publishing: a volume becomes visible in the place of one pod. The driver
 * gets the secrets it names, the pod and tokens of its account, as far as its
 * CSIDriver object asks for them.
 */
import { AgentError, errorText } from '../../base/errors.ts';
import { accept } from '../../base/outcome.ts';
import type { StringMap } from '../../core/api/meta.ts';
import type { CsiDriverSpec } from '../../core/api/storage.ts';
import { toPodContext } from '../../core/volume/csi/csi-context.ts';
import type { CsiVolume } from '../../core/volume/csi/csi-volume.ts';
import type { MountStage } from '../../core/volume/volume-source.ts';
import type { VolumeOutcome, VolumeRequest } from '../../ports/storage/volume-driver.ts';
import { type CsiClient, type CsiUse, isFinal } from './csi-client.ts';
import type { CsiParts } from './csi-parts.ts';
import { stagingPath } from './csi-paths.ts';
import { readSecret, readTokens } from './csi-reads.ts';
import { removeVolumeData } from './volume-data.ts';

/** A volume with what its driver asks of the node. */
export interface Wanted {
  readonly request: VolumeRequest;
  readonly volume: CsiVolume;
  readonly driver: CsiDriverSpec | undefined;
  /** From the attacher. */
  readonly publishContext: StringMap;
  /** Nothing was there before: a final refusal removes everything again. */
  readonly isNew: boolean;
}

/** When the tokens that were handed over have to be replaced. */
export async function publishVolume(
  parts: CsiParts,
  { request, volume, driver, publishContext, isNew }: Wanted,
  client: CsiClient,
  use: CsiUse,
  isStaged: boolean,
): Promise<VolumeOutcome<number | undefined>> {
  const { signal, pod, directory } = request;
  const secrets = await readSecret(parts.cluster, 'NodePublishSecretRef', volume.secrets.publish, signal);
  if (!secrets.ok) return secrets;
  const tokens = await readTokens(parts.cluster, driver, pod, signal);
  if (!tokens.ok) return tokens;
  const { entry, refreshAtMs } = tokens.value;
  const inSecrets = driver?.serviceAccountTokenInSecrets === true;
  const staging = stagingPath(parts.node.rootDir, volume.driver, volume.handle);
  const call = {
    volumeId: volume.handle,
    targetPath: `${directory}/mount`,
    ...(isStaged ? { stagingPath: staging } : {}),
    readOnly: volume.readOnly,
    use,
    publishContext,
    secrets: { ...secrets.value, ...(inSecrets ? entry : {}) },
    volumeContext: {
      ...volume.attributes,
      ...toPodContext(driver, pod, volume.lifecycle),
      ...(inSecrets ? {} : entry),
    },
  };
  try {
    await client.publish(call, signal);
    return accept(refreshAtMs);
  } catch (error) {
    // A staged volume keeps the pod's data file: it is the record of the staging.
    if (isNew && !isStaged && isFinal(error))
      await removeVolumeData(directory, `${directory}/mount`).catch(() => {});
    return toFailedMount(error, 'MountVolume.SetUp');
  }
}

/** A failure of the driver is returned as a refusal. */
export function toFailedMount(error: unknown, stage: MountStage): VolumeOutcome<never> {
  if (!(error instanceof AgentError)) throw error;
  return { ok: false, stage, message: errorText(error) };
}
