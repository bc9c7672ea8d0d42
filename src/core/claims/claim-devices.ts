/** What a container gets of the claims it uses. */
import type { ListedClaim } from '../devices/pod-resources.ts';
import type { ClaimInfo, PreparedDevice } from './claim-info.ts';
import type { ContainerClaim } from './pod-claims.ts';

type Wanted = readonly {
  readonly info: ClaimInfo;
  readonly request: ContainerClaim['request'];
}[];

/** In the order of the claims, each id once. */
export function toCdiIds(wanted: Wanted): string[] {
  const ids = wanted.flatMap(({ info, request }) =>
    [...info.drivers.values()].flat().flatMap((device) => (isFor(device, request) ? device.cdiIds : [])),
  );
  return [...new Set(ids)];
}

export function toListedClaims(wanted: Wanted): ListedClaim[] {
  return wanted.map(({ info, request }) => ({
    name: info.name,
    namespace: info.namespace,
    devices: [...info.drivers].flatMap(([driver, devices]) =>
      devices
        .filter((device) => isFor(device, request))
        .map(({ pool, device, cdiIds, shareId }) => ({ driver, pool, device, cdiIds, shareId })),
    ),
  }));
}

/** A device that names no request is for all of them; a sub-request belongs to its request. */
function isFor({ requestNames }: PreparedDevice, request: string | undefined): boolean {
  if (request === undefined || requestNames.length === 0) return true;
  return requestNames.some((name) => name === request || name.startsWith(`${request}/`));
}
