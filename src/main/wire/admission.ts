/** Which pods the node takes, and what it grants those that run. */
import type { AdmissionSettings } from '../../agent/agent-ports.ts';
import type { Meters } from '../metrics/meters.ts';
import { type AdmissionParts, createAdmit, createAdmitResize, toNodeLabels } from '../settings/admission.ts';
import type { ClusterConnection } from './cluster.ts';
import type { Foundation } from './foundation.ts';
import type { NodeWiring } from './node.ts';

/** Throws AgentError when the configuration allows sysctls that would change the whole node. */
export function wireAdmission(
  { loaded, live }: Foundation,
  node: NodeWiring,
  connection: ClusterConnection | undefined,
  { pods }: Pick<Meters, 'pods'>,
): AdmissionSettings {
  const { profile, system } = node;
  const { nodeName } = profile;
  const readNode = () => connection?.readNode();
  // How many pods there may be is read with each of them: a reload may have changed it.
  const parts: AdmissionParts = {
    ...node,
    get loaded() {
      return live.current;
    },
    nodeName,
    readNode,
  };
  return {
    admit: pods.admissions(createAdmit(parts)),
    admitResize: pods.admissions(createAdmitResize(parts, profile)),
    refreshNode: connection === undefined ? undefined : () => connection.own.refresh(),
    readNodeLabels: () => toNodeLabels(loaded, nodeName, system, readNode()),
  };
}
