/**
 * Asks whether a pod may use an image that is on the machine: what is
 * remembered of its pulls, and only when that needs it what the pod can show.
 */

import { accept, type Outcome } from '../../base/outcome.ts';
import type { Pod } from '../../core/api/pod.ts';
import {
  decideByCredentials,
  decideImageAccess,
  type ShownCredentials,
  type VerificationSettings,
} from '../../core/image/decide-image-access.ts';
import type { PullCredential } from '../../core/image/registry-credential.ts';
import type { AccessResult, ImageMeter } from '../../ports/image-meter.ts';
import type { ImageInfo } from '../../ports/runtime/image-service.ts';
import { computeCredentialHash } from './image-credentials.ts';
import type { PullRecords } from './pull-records.ts';

export interface ImageAccessParts {
  readonly records: Pick<PullRecords, 'recordOf' | 'hasIntent' | 'remember'>;
  readonly settings: VerificationSettings;
  readonly meter: Pick<ImageMeter, 'accessAsked'>;
}

export interface ImageAccessQuestion {
  readonly pod: Pod;
  readonly image: string;
  /** What is there. */
  readonly info: ImageInfo;
  readonly findCredentials: () => Promise<Outcome<readonly PullCredential[]>>;
}

/** True when no pull is needed. Refused when the pod's credentials cannot be read. */
export async function askImageAccess(
  parts: ImageAccessParts,
  question: ImageAccessQuestion,
): Promise<Outcome<boolean>> {
  const answer = await decide(parts, question);
  parts.meter.accessAsked(answer.ok ? answer.value : 'error');
  return answer.ok ? { ok: true, value: answer.value !== 'mustAuthenticate' } : answer;
}

async function decide(
  { records, settings }: ImageAccessParts,
  { image, info, findCredentials }: ImageAccessQuestion,
): Promise<Outcome<AccessResult>> {
  const access = decideImageAccess(settings, {
    image,
    record: records.recordOf(info.id),
    hasIntent: records.hasIntent(image, info),
  });
  if (access.kind === 'must-pull') return accept('mustAuthenticate');
  if (access.kind === 'allowed')
    return accept(access.by === 'policy' ? 'credentialPolicyAllowed' : 'credentialRecordFound');
  const credentials = await findCredentials();
  if (!credentials.ok) return credentials;
  const verdict = decideByCredentials(access.recorded, toShown(credentials.value));
  if (verdict.allowed && verdict.remember !== undefined)
    await records.remember(image, info.id, { kubernetesSecrets: [verdict.remember] });
  return accept(verdict.allowed ? 'credentialRecordFound' : 'mustAuthenticate');
}

function toShown(credentials: readonly PullCredential[]): ShownCredentials {
  const secrets: ShownCredentials['secrets'][number][] = [];
  const serviceAccounts: ShownCredentials['serviceAccounts'][number][] = [];
  for (const credential of credentials) {
    const { source } = credential;
    if (source.kind === 'node') continue;
    const { uid, namespace, name } = source;
    if (source.kind === 'service-account') serviceAccounts.push({ uid, namespace, name });
    else secrets.push({ uid, namespace, name, credentialHash: computeCredentialHash(credential) });
  }
  return { secrets, serviceAccounts };
}
