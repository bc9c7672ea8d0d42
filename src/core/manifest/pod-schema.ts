/**
 * The fields of a v1 Pod of Kubernetes 1.36 and their types, as text: one entry per object, one line
 * `field field: type`. Types: string, bool, int32, int64, intOrString, quantity, time, any, `[T]` a list,
 * `{T}` a map, or the name of another entry. `!` marks fields the API always carries (absent = zero value).
 * `any` is for what only a server writes (`status`, `managedFields`): a manifest copied from a cluster may carry
 * it, of any version; it counts for the hash in the UID, as upstream, and for nothing else.
 * Volume sources are in volume-schema.ts. check-fields.ts reads it; nothing else may know field names twice.
 */
import { LOCAL_OBJECT_SCHEMA } from './local-object-schema.ts';
import { VOLUME_SCHEMA } from './volume-schema.ts';

const CONTAINER = `
    name! image imagePullPolicy restartPolicy terminationMessagePath terminationMessagePolicy: string
    workingDir: string
    stdin stdinOnce tty: bool
    lifecycle: Lifecycle
    livenessProbe readinessProbe startupProbe: Probe
    resources: ResourceRequirements
    securityContext: SecurityContext
    ports: [ContainerPort]
    resizePolicy: [ContainerResizePolicy]
    restartPolicyRules: [ContainerRestartRule]
    envFrom: [EnvFromSource]
    env: [EnvVar]
    volumeDevices: [VolumeDevice]
    volumeMounts: [VolumeMount]
    args command: [string]`;

const POD_SCHEMA = {
  Pod: `
    apiVersion kind: string
    status: any
    metadata: ObjectMeta
    spec: PodSpec`,
  ObjectMeta: `
    generateName name namespace resourceVersion selfLink uid: string
    deletionGracePeriodSeconds generation: int64
    creationTimestamp deletionTimestamp: time
    managedFields: any
    ownerReferences: [OwnerReference]
    finalizers: [string]
    annotations labels: {string}`,
  OwnerReference: `
    apiVersion! kind! name! uid!: string
    blockOwnerDeletion controller: bool`,
  PodSpec: `
    dnsPolicy hostname hostnameOverride nodeName preemptionPolicy priorityClassName: string
    restartPolicy runtimeClassName schedulerName serviceAccount serviceAccountName subdomain: string
    automountServiceAccountToken enableServiceLinks hostIPC hostNetwork hostPID hostUsers: bool
    setHostnameAsFQDN shareProcessNamespace: bool
    priority: int32
    activeDeadlineSeconds terminationGracePeriodSeconds: int64
    affinity: Affinity
    dnsConfig: PodDNSConfig
    os: PodOS
    schedulingGroup: PodSchedulingGroup
    securityContext: PodSecurityContext
    resources: ResourceRequirements
    containers! initContainers: [Container]
    ephemeralContainers: [EphemeralContainer]
    hostAliases: [HostAlias]
    imagePullSecrets: [LocalObjectReference]
    readinessGates: [PodReadinessGate]
    resourceClaims: [PodResourceClaim]
    schedulingGates: [PodSchedulingGate]
    tolerations: [Toleration]
    topologySpreadConstraints: [TopologySpreadConstraint]
    volumes: [Volume]
    overhead: {quantity}
    nodeSelector: {string}`,
  Affinity: `
    nodeAffinity: NodeAffinity
    podAffinity: PodAffinity
    podAntiAffinity: PodAntiAffinity`,
  NodeAffinity: `
    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector
    preferredDuringSchedulingIgnoredDuringExecution: [PreferredSchedulingTerm]`,
  PreferredSchedulingTerm: `
    weight!: int32
    preference: NodeSelectorTerm`,
  NodeSelectorTerm: `
    matchExpressions matchFields: [NodeSelectorRequirement]`,
  NodeSelectorRequirement: `
    key! operator!: string
    values: [string]`,
  NodeSelector: `
    nodeSelectorTerms!: [NodeSelectorTerm]`,
  PodAffinity: `
    requiredDuringSchedulingIgnoredDuringExecution: [PodAffinityTerm]
    preferredDuringSchedulingIgnoredDuringExecution: [WeightedPodAffinityTerm]`,
  WeightedPodAffinityTerm: `
    weight!: int32
    podAffinityTerm: PodAffinityTerm`,
  PodAffinityTerm: `
    topologyKey!: string
    labelSelector namespaceSelector: LabelSelector
    matchLabelKeys mismatchLabelKeys namespaces: [string]`,
  LabelSelector: `
    matchExpressions: [LabelSelectorRequirement]
    matchLabels: {string}`,
  LabelSelectorRequirement: `
    key! operator!: string
    values: [string]`,
  PodAntiAffinity: `
    requiredDuringSchedulingIgnoredDuringExecution: [PodAffinityTerm]
    preferredDuringSchedulingIgnoredDuringExecution: [WeightedPodAffinityTerm]`,
  Container: CONTAINER,
  EnvVar: `
    name! value: string
    valueFrom: EnvVarSource`,
  EnvVarSource: `
    configMapKeyRef: ConfigMapKeySelector
    fileKeyRef: FileKeySelector
    fieldRef: ObjectFieldSelector
    resourceFieldRef: ResourceFieldSelector
    secretKeyRef: SecretKeySelector`,
  ConfigMapKeySelector: `
    key! name: string
    optional: bool`,
  ObjectFieldSelector: `
    fieldPath! apiVersion: string`,
  FileKeySelector: `
    key! path! volumeName!: string
    optional: bool`,
  ResourceFieldSelector: `
    resource! containerName: string
    divisor: quantity`,
  SecretKeySelector: `
    key! name: string
    optional: bool`,
  EnvFromSource: `
    prefix: string
    configMapRef: ConfigMapEnvSource
    secretRef: SecretEnvSource`,
  ConfigMapEnvSource: `
    name: string
    optional: bool`,
  SecretEnvSource: `
    name: string
    optional: bool`,
  Lifecycle: `
    stopSignal: string
    postStart preStop: LifecycleHandler`,
  LifecycleHandler: `
    exec: ExecAction
    httpGet: HTTPGetAction
    sleep: SleepAction
    tcpSocket: TCPSocketAction`,
  ExecAction: `
    command: [string]`,
  HTTPGetAction: `
    host path scheme: string
    port!: intOrString
    httpHeaders: [HTTPHeader]`,
  HTTPHeader: `
    name! value!: string`,
  SleepAction: `
    seconds!: int64`,
  TCPSocketAction: `
    host: string
    port!: intOrString`,
  Probe: `
    failureThreshold initialDelaySeconds periodSeconds successThreshold timeoutSeconds: int32
    terminationGracePeriodSeconds: int64
    exec: ExecAction
    grpc: GRPCAction
    httpGet: HTTPGetAction
    tcpSocket: TCPSocketAction`,
  GRPCAction: `
    service: string
    port!: int32`,
  ContainerPort: `
    hostIP name protocol: string
    containerPort! hostPort: int32`,
  ContainerResizePolicy: `
    resourceName! restartPolicy!: string`,
  ResourceRequirements: `
    claims: [ResourceClaim]
    limits requests: {quantity}`,
  ResourceClaim: `
    name! request: string`,
  ContainerRestartRule: `
    action!: string
    exitCodes: ContainerRestartRuleOnExitCodes`,
  ContainerRestartRuleOnExitCodes: `
    operator!: string
    values: [int32]`,
  SecurityContext: `
    procMount: string
    allowPrivilegeEscalation privileged readOnlyRootFilesystem runAsNonRoot: bool
    runAsGroup runAsUser: int64
    appArmorProfile: AppArmorProfile
    capabilities: Capabilities
    seLinuxOptions: SELinuxOptions
    seccompProfile: SeccompProfile
    windowsOptions: WindowsSecurityContextOptions`,
  AppArmorProfile: `
    type! localhostProfile: string`,
  Capabilities: `
    add drop: [string]`,
  SELinuxOptions: `
    level role type user: string`,
  SeccompProfile: `
    type! localhostProfile: string`,
  WindowsSecurityContextOptions: `
    gmsaCredentialSpec gmsaCredentialSpecName runAsUserName: string
    hostProcess: bool`,
  VolumeDevice: `
    devicePath! name!: string`,
  VolumeMount: `
    mountPath! name! mountPropagation recursiveReadOnly subPath subPathExpr: string
    readOnly: bool`,
  PodDNSConfig: `
    options: [PodDNSConfigOption]
    nameservers searches: [string]`,
  PodDNSConfigOption: `
    name value: string`,
  EphemeralContainer: `${CONTAINER}
    targetContainerName: string`,
  HostAlias: `
    ip!: string
    hostnames: [string]`,
  LocalObjectReference: `
    name: string`,
  PodOS: `
    name!: string`,
  PodReadinessGate: `
    conditionType!: string`,
  PodResourceClaim: `
    name! resourceClaimName resourceClaimTemplateName: string`,
  PodSchedulingGate: `
    name!: string`,
  PodSchedulingGroup: `
    podGroupName: string`,
  PodSecurityContext: `
    fsGroupChangePolicy seLinuxChangePolicy supplementalGroupsPolicy: string
    runAsNonRoot: bool
    fsGroup runAsGroup runAsUser: int64
    appArmorProfile: AppArmorProfile
    seLinuxOptions: SELinuxOptions
    seccompProfile: SeccompProfile
    windowsOptions: WindowsSecurityContextOptions
    sysctls: [Sysctl]
    supplementalGroups: [int64]`,
  Sysctl: `
    name! value!: string`,
  Toleration: `
    effect key operator value: string
    tolerationSeconds: int64`,
  TopologySpreadConstraint: `
    topologyKey! whenUnsatisfiable! nodeAffinityPolicy nodeTaintsPolicy: string
    maxSkew! minDomains: int32
    labelSelector: LabelSelector
    matchLabelKeys: [string]`,
} as const;

/** A field of an object: its type, and whether an absent one stands for the zero value. */
export interface FieldSchema {
  readonly type: string;
  readonly required: boolean;
}

export type ObjectSchema = ReadonlyMap<string, FieldSchema>;

/** Every object type and its fields, by its name. */
export const OBJECT_SCHEMAS: ReadonlyMap<string, ObjectSchema> = new Map(
  Object.entries({ ...POD_SCHEMA, ...VOLUME_SCHEMA, ...LOCAL_OBJECT_SCHEMA }).map(([name, text]) => [
    name,
    parseObject(text),
  ]),
);

function parseObject(text: string): ObjectSchema {
  const fields = new Map<string, FieldSchema>();
  for (const line of text.trim().split('\n')) {
    const [names = '', type = ''] = line.trim().split(': ');
    for (const name of names.split(' ')) {
      const required = name.endsWith('!');
      fields.set(required ? name.slice(0, -1) : name, { type, required });
    }
  }
  return fields;
}
