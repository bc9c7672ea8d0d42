/**
 * The features a node declares to the scheduler and the API server, so that
 * pods that need them are only placed where they work.
 */

const DECLARED = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
] as const;

/** Undefined when nothing is declared at all. The gate alone is not enough where the runtime must help. */
export function toDeclaredFeatures(
  isEnabled: (gate: string) => boolean,
  runtime: { readonly userNamespacesHostNetwork: boolean },
): string[] | undefined {
  if (!isEnabled('NodeDeclaredFeatures')) return undefined;
  const withRuntime = runtime.userNamespacesHostNetwork ? ['UserNamespacesHostNetworkSupport'] : [];
  return [...DECLARED, ...withRuntime].filter(isEnabled).sort();
}
