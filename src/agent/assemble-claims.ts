/** Wires dynamic resources: drivers, claims of pods, and the slices of drivers that are gone. It only connects. */
import type { ResourceClaim } from '../core/api/resource-claim.ts';
import type { NodeProfile } from '../core/model/node-profile.ts';
import type { AgentPart } from './agent-part.ts';
import type { AgentPorts } from './agent-ports.ts';
import type { PodWakeUps } from './assemble-runtime.ts';
import { ClaimHealth } from './claims/claim-health.ts';
import { ClaimPreparer } from './claims/claim-preparer.ts';
import { ClaimStore } from './claims/claim-store.ts';
import { DraDrivers } from './claims/dra-drivers.ts';
import { PodClaims } from './claims/pod-claims.ts';
import { ResourceSlices } from './claims/resource-slices.ts';

const CLAIMS = { group: 'resource.k8s.io', version: 'v1', plural: 'resourceclaims' };

export interface ClaimAssembly {
  readonly claims: PodClaims;
  readonly preparer: ClaimPreparer;
  readonly store: ClaimStore;
  readonly drivers: DraDrivers;
  /** Undefined where it is not to be reported. */
  readonly health: ClaimHealth | undefined;
  readonly parts: readonly AgentPart[];
}

/** Undefined standalone: claims are objects of the API server. */
export function assembleClaims(
  { kit, host, cluster }: Pick<AgentPorts, 'kit' | 'host' | 'cluster'>,
  { rootDir, nodeName, features }: NodeProfile,
  wakeUps: PodWakeUps,
): ClaimAssembly | undefined {
  if (cluster === undefined) return undefined;
  const { api, whenReady, dra } = cluster;
  const store = new ClaimStore({ ...kit, ...host, path: `${rootDir}/dra_manager_state` });
  const slices = new ResourceSlices({ kit, api, nodeName, whenReady });
  const path = `${rootDir}/dra_health_state`;
  const health = features('ResourceHealthStatus')
    ? new ClaimHealth({ kit, store, path, files: host.files })
    : undefined;
  health?.subscribe((uid) => wakeUps.emit(uid, 'device health'));
  const drivers = new DraDrivers({
    connector: dra,
    clock: kit.clock,
    onGone: (driver, isBack) => slices.remove(driver, isBack),
    onRegistered: (name, driver, gone) => {
      kit.logger.info('driver of dynamic resources registered', { driver: name });
      void health?.follow(name, driver, gone);
    },
  });
  const preparer = new ClaimPreparer({
    kit,
    store,
    drivers,
    readClaim: (namespace, name, signal) =>
      api.get<ResourceClaim>({ resource: CLAIMS, namespace, name }, { signal }),
  });
  const claims = new PodClaims({ store, preparer, drivers });
  const healthParts: readonly AgentPart[] = health === undefined ? [] : [health];
  return { claims, preparer, store, drivers, health, parts: [slices, claims, ...healthParts] };
}
