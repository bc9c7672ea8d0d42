/**
 * Pod, as the Kubernetes API writes it in JSON (v1, Kubernetes 1.36). Only
 * types: the object that came from a manifest or the API server is used as it
 * is, after defaulting. Volume sources live in volume.ts, status in
 * pod-status.ts.
 */
import type { IntOrString, ObjectMeta, StringMap } from './meta.ts';
import type { PodStatus } from './pod-status.ts';
import type { Volume } from './volume.ts';

export interface Pod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export type PodRestartPolicy = 'Always' | 'OnFailure' | 'Never';

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly ephemeralContainers?: readonly EphemeralContainer[];
  readonly volumes?: readonly Volume[];
  readonly restartPolicy?: PodRestartPolicy;
  readonly terminationGracePeriodSeconds?: number;
  readonly activeDeadlineSeconds?: number;
  readonly dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';
  readonly dnsConfig?: PodDnsConfig;
  readonly nodeName?: string;
  readonly nodeSelector?: StringMap;
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostIPC?: boolean;
  readonly hostUsers?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly securityContext?: PodSecurityContext;
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly hostname?: string;
  readonly hostnameOverride?: string;
  readonly subdomain?: string;
  readonly setHostnameAsFQDN?: boolean;
  readonly hostAliases?: readonly HostAlias[];
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: unknown;
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly preemptionPolicy?: string;
  readonly schedulerName?: string;
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly runtimeClassName?: string;
  readonly enableServiceLinks?: boolean;
  readonly overhead?: ResourceList;
  readonly resources?: ResourceRequirements;
  readonly resourceClaims?: readonly PodResourceClaim[];
  readonly topologySpreadConstraints?: readonly unknown[];
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly os?: { readonly name: string };
}

export interface PodResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface HostAlias {
  readonly ip: string;
  readonly hostnames?: readonly string[];
}

export interface PodDnsConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly { readonly name?: string; readonly value?: string }[];
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal' | 'Lt' | 'Gt';
  readonly value?: string;
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  readonly tolerationSeconds?: number;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly ContainerPort[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly env?: readonly EnvVar[];
  readonly resources?: ResourceRequirements;
  readonly resizePolicy?: readonly { readonly resourceName: string; readonly restartPolicy: string }[];
  /** On an init container `Always` makes it a sidecar; elsewhere it overrides the pod's policy. */
  readonly restartPolicy?: PodRestartPolicy;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly volumeDevices?: readonly { readonly name: string; readonly devicePath: string }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: Lifecycle;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
  readonly imagePullPolicy?: PullPolicy;
  readonly securityContext?: SecurityContext;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly tty?: boolean;
}

export interface EphemeralContainer extends Container {
  readonly targetContainerName?: string;
}

export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

export interface ContainerRestartRule {
  readonly action: 'Restart' | 'RestartAllContainers';
  readonly exitCodes?: { readonly operator: 'In' | 'NotIn'; readonly values?: readonly number[] };
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  readonly hostIP?: string;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: EnvVarSource;
}

export interface KeySelector {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface EnvVarSource {
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
  readonly resourceFieldRef?: ResourceFieldSelector;
  readonly configMapKeyRef?: KeySelector;
  readonly secretKeyRef?: KeySelector;
  readonly fileKeyRef?: {
    readonly volumeName: string;
    readonly path: string;
    readonly key: string;
    readonly optional?: boolean;
  };
}

export interface ResourceFieldSelector {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string;
}

export interface EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name?: string; readonly optional?: boolean };
}

/** Resource name to quantity text, e.g. `{cpu: '100m', memory: '64Mi'}`. */
export type ResourceList = Readonly<Record<string, string>>;

export interface ResourceRequirements {
  readonly limits?: ResourceList;
  readonly requests?: ResourceList;
  readonly claims?: readonly { readonly name: string; readonly request?: string }[];
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: 'Disabled' | 'IfPossible' | 'Enabled';
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly mountPropagation?: 'None' | 'HostToContainer' | 'Bidirectional';
}

export interface HttpGetAction {
  readonly path?: string;
  readonly port: IntOrString;
  readonly host?: string;
  readonly scheme?: 'HTTP' | 'HTTPS';
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[];
}

export interface Probe {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: HttpGetAction;
  readonly tcpSocket?: { readonly port: IntOrString; readonly host?: string };
  readonly grpc?: { readonly port: number; readonly service?: string };
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

export interface LifecycleHandler {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: HttpGetAction;
  readonly tcpSocket?: { readonly port: IntOrString; readonly host?: string };
  readonly sleep?: { readonly seconds: number };
}

export interface Lifecycle {
  readonly postStart?: LifecycleHandler;
  readonly preStop?: LifecycleHandler;
  readonly stopSignal?: string;
}

export interface SeLinuxOptions {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}

export interface SecurityProfileRef {
  readonly type: 'RuntimeDefault' | 'Unconfined' | 'Localhost';
  readonly localhostProfile?: string;
}

export interface PodSecurityContext {
  readonly seLinuxOptions?: SeLinuxOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: string;
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy?: 'OnRootMismatch' | 'Always';
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[];
  readonly seccompProfile?: SecurityProfileRef;
  readonly appArmorProfile?: SecurityProfileRef;
  readonly seLinuxChangePolicy?: string;
}

export interface SecurityContext {
  readonly capabilities?: { readonly add?: readonly string[]; readonly drop?: readonly string[] };
  readonly privileged?: boolean;
  readonly seLinuxOptions?: SeLinuxOptions;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
  readonly procMount?: 'Default' | 'Unmasked';
  readonly seccompProfile?: SecurityProfileRef;
  readonly appArmorProfile?: SecurityProfileRef;
}
