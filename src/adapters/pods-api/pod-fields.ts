/**
 * The fields of a pod on the wire: name in JSON, number, type. `[]` is a list,
 * `{}` a map by string; a name `*` stands for a message whose fields are, in
 * JSON, those of the one around it. Lines that begin with a space continue the
 * one before. Facts of the API (Kubernetes 1.36), in the order of the numbers.
 */
export const POD_FIELDS = `
Pod: metadata 1 ObjectMeta, spec 2 PodSpec, status 3 PodStatus
ObjectMeta: name 1 string, generateName 2 string, namespace 3 string, selfLink 4 string, uid 5 string,
  resourceVersion 6 string, generation 7 int, creationTimestamp 8 time, deletionTimestamp 9 time,
  deletionGracePeriodSeconds 10 int, labels 11 string{}, annotations 12 string{}, ownerReferences 13
  OwnerReference[], finalizers 14 string[], managedFields 17 ManagedFieldsEntry[]
OwnerReference: kind 1 string, name 3 string, uid 4 string, apiVersion 5 string, controller 6 bool,
  blockOwnerDeletion 7 bool
ManagedFieldsEntry: manager 1 string, operation 2 string, apiVersion 3 string, time 4 time, fieldsType 6
  string, fieldsV1 7 raw, subresource 8 string
PodSpec: volumes 1 Volume[], containers 2 Container[], restartPolicy 3 string,
  terminationGracePeriodSeconds 4 int, activeDeadlineSeconds 5 int, dnsPolicy 6 string, nodeSelector 7
  string{}, serviceAccountName 8 string, serviceAccount 9 string, nodeName 10 string, hostNetwork 11
  bool, hostPID 12 bool, hostIPC 13 bool, securityContext 14 PodSecurityContext, imagePullSecrets 15
  LocalObjectReference[], hostname 16 string, subdomain 17 string, affinity 18 Affinity, schedulerName
  19 string, initContainers 20 Container[], automountServiceAccountToken 21 bool, tolerations 22
  Toleration[], hostAliases 23 HostAlias[], priorityClassName 24 string, priority 25 int, dnsConfig 26
  PodDNSConfig, shareProcessNamespace 27 bool, readinessGates 28 PodReadinessGate[], runtimeClassName 29
  string, enableServiceLinks 30 bool, preemptionPolicy 31 string, overhead 32 quantity{},
  topologySpreadConstraints 33 TopologySpreadConstraint[], ephemeralContainers 34 EphemeralContainer[],
  setHostnameAsFQDN 35 bool, os 36 PodOS, hostUsers 37 bool, schedulingGates 38 PodSchedulingGate[],
  resourceClaims 39 PodResourceClaim[], resources 40 ResourceRequirements, hostnameOverride 41 string,
  schedulingGroup 43 PodSchedulingGroup
Volume: name 1 string, * 2 VolumeSource
VolumeSource: hostPath 1 HostPathVolumeSource, emptyDir 2 EmptyDirVolumeSource, gcePersistentDisk 3
  GCEPersistentDiskVolumeSource, awsElasticBlockStore 4 AWSElasticBlockStoreVolumeSource, gitRepo 5
  GitRepoVolumeSource, secret 6 SecretVolumeSource, nfs 7 NFSVolumeSource, iscsi 8 ISCSIVolumeSource,
  glusterfs 9 GlusterfsVolumeSource, persistentVolumeClaim 10 PersistentVolumeClaimVolumeSource, rbd 11
  RBDVolumeSource, flexVolume 12 FlexVolumeSource, cinder 13 CinderVolumeSource, cephfs 14
  CephFSVolumeSource, flocker 15 FlockerVolumeSource, downwardAPI 16 DownwardAPIVolumeSource, fc 17
  FCVolumeSource, azureFile 18 AzureFileVolumeSource, configMap 19 ConfigMapVolumeSource, vsphereVolume
  20 VsphereVirtualDiskVolumeSource, quobyte 21 QuobyteVolumeSource, azureDisk 22 AzureDiskVolumeSource,
  photonPersistentDisk 23 PhotonPersistentDiskVolumeSource, portworxVolume 24 PortworxVolumeSource,
  scaleIO 25 ScaleIOVolumeSource, projected 26 ProjectedVolumeSource, storageos 27
  StorageOSVolumeSource, csi 28 CSIVolumeSource, ephemeral 29 EphemeralVolumeSource, image 30
  ImageVolumeSource
HostPathVolumeSource: path 1 string, type 2 string
EmptyDirVolumeSource: medium 1 string, sizeLimit 2 quantity
GCEPersistentDiskVolumeSource: pdName 1 string, fsType 2 string, partition 3 int, readOnly 4 bool
AWSElasticBlockStoreVolumeSource: volumeID 1 string, fsType 2 string, partition 3 int, readOnly 4 bool
GitRepoVolumeSource: repository 1 string, revision 2 string, directory 3 string
SecretVolumeSource: secretName 1 string, items 2 KeyToPath[], defaultMode 3 int, optional 4 bool
KeyToPath: key 1 string, path 2 string, mode 3 int
NFSVolumeSource: server 1 string, path 2 string, readOnly 3 bool
ISCSIVolumeSource: targetPortal 1 string, iqn 2 string, lun 3 int, iscsiInterface 4 string, fsType 5
  string, readOnly 6 bool, portals 7 string[], chapAuthDiscovery 8 bool, secretRef 10
  LocalObjectReference, chapAuthSession 11 bool, initiatorName 12 string
LocalObjectReference: name 1 string
GlusterfsVolumeSource: endpoints 1 string, path 2 string, readOnly 3 bool
PersistentVolumeClaimVolumeSource: claimName 1 string, readOnly 2 bool
RBDVolumeSource: monitors 1 string[], image 2 string, fsType 3 string, pool 4 string, user 5 string,
  keyring 6 string, secretRef 7 LocalObjectReference, readOnly 8 bool
FlexVolumeSource: driver 1 string, fsType 2 string, secretRef 3 LocalObjectReference, readOnly 4 bool,
  options 5 string{}
CinderVolumeSource: volumeID 1 string, fsType 2 string, readOnly 3 bool, secretRef 4
  LocalObjectReference
CephFSVolumeSource: monitors 1 string[], path 2 string, user 3 string, secretFile 4 string, secretRef 5
  LocalObjectReference, readOnly 6 bool
FlockerVolumeSource: datasetName 1 string, datasetUUID 2 string
DownwardAPIVolumeSource: items 1 DownwardAPIVolumeFile[], defaultMode 2 int
DownwardAPIVolumeFile: path 1 string, fieldRef 2 ObjectFieldSelector, resourceFieldRef 3
  ResourceFieldSelector, mode 4 int
ObjectFieldSelector: apiVersion 1 string, fieldPath 2 string
ResourceFieldSelector: containerName 1 string, resource 2 string, divisor 3 quantity
FCVolumeSource: targetWWNs 1 string[], lun 2 int, fsType 3 string, readOnly 4 bool, wwids 5 string[]
AzureFileVolumeSource: secretName 1 string, shareName 2 string, readOnly 3 bool
ConfigMapVolumeSource: * 1 LocalObjectReference, items 2 KeyToPath[], defaultMode 3 int, optional 4 bool
VsphereVirtualDiskVolumeSource: volumePath 1 string, fsType 2 string, storagePolicyName 3 string,
  storagePolicyID 4 string
QuobyteVolumeSource: registry 1 string, volume 2 string, readOnly 3 bool, user 4 string, group 5 string,
  tenant 6 string
AzureDiskVolumeSource: diskName 1 string, diskURI 2 string, cachingMode 3 string, fsType 4 string,
  readOnly 5 bool, kind 6 string
PhotonPersistentDiskVolumeSource: pdID 1 string, fsType 2 string
ProjectedVolumeSource: sources 1 VolumeProjection[], defaultMode 2 int
VolumeProjection: secret 1 SecretProjection, downwardAPI 2 DownwardAPIProjection, configMap 3
  ConfigMapProjection, serviceAccountToken 4 ServiceAccountTokenProjection, clusterTrustBundle 5
  ClusterTrustBundleProjection, podCertificate 6 PodCertificateProjection
SecretProjection: * 1 LocalObjectReference, items 2 KeyToPath[], optional 4 bool
DownwardAPIProjection: items 1 DownwardAPIVolumeFile[]
ConfigMapProjection: * 1 LocalObjectReference, items 2 KeyToPath[], optional 4 bool
ServiceAccountTokenProjection: audience 1 string, expirationSeconds 2 int, path 3 string
ClusterTrustBundleProjection: name 1 string, signerName 2 string, labelSelector 3 LabelSelector, path 4
  string, optional 5 bool
LabelSelector: matchLabels 1 string{}, matchExpressions 2 LabelSelectorRequirement[]
LabelSelectorRequirement: key 1 string, operator 2 string, values 3 string[]
PodCertificateProjection: signerName 1 string, keyType 2 string, maxExpirationSeconds 3 int,
  credentialBundlePath 4 string, keyPath 5 string, certificateChainPath 6 string, userAnnotations 7
  string{}
PortworxVolumeSource: volumeID 1 string, fsType 2 string, readOnly 3 bool
ScaleIOVolumeSource: gateway 1 string, system 2 string, secretRef 3 LocalObjectReference, sslEnabled 4
  bool, protectionDomain 5 string, storagePool 6 string, storageMode 7 string, volumeName 8 string,
  fsType 9 string, readOnly 10 bool
StorageOSVolumeSource: volumeName 1 string, volumeNamespace 2 string, fsType 3 string, readOnly 4 bool,
  secretRef 5 LocalObjectReference
CSIVolumeSource: driver 1 string, readOnly 2 bool, fsType 3 string, volumeAttributes 4 string{},
  nodePublishSecretRef 5 LocalObjectReference
EphemeralVolumeSource: volumeClaimTemplate 1 PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate: metadata 1 ObjectMeta, spec 2 PersistentVolumeClaimSpec
PersistentVolumeClaimSpec: accessModes 1 string[], resources 2 VolumeResourceRequirements, volumeName 3
  string, selector 4 LabelSelector, storageClassName 5 string, volumeMode 6 string, dataSource 7
  TypedLocalObjectReference, dataSourceRef 8 TypedObjectReference, volumeAttributesClassName 9 string
VolumeResourceRequirements: limits 1 quantity{}, requests 2 quantity{}
TypedLocalObjectReference: apiGroup 1 string, kind 2 string, name 3 string
TypedObjectReference: apiGroup 1 string, kind 2 string, name 3 string, namespace 4 string
ImageVolumeSource: reference 1 string, pullPolicy 2 string
Container: name 1 string, image 2 string, command 3 string[], args 4 string[], workingDir 5 string,
  ports 6 ContainerPort[], env 7 EnvVar[], resources 8 ResourceRequirements, volumeMounts 9
  VolumeMount[], livenessProbe 10 Probe, readinessProbe 11 Probe, lifecycle 12 Lifecycle,
  terminationMessagePath 13 string, imagePullPolicy 14 string, securityContext 15 SecurityContext, stdin
  16 bool, stdinOnce 17 bool, tty 18 bool, envFrom 19 EnvFromSource[], terminationMessagePolicy 20
  string, volumeDevices 21 VolumeDevice[], startupProbe 22 Probe, resizePolicy 23
  ContainerResizePolicy[], restartPolicy 24 string, restartPolicyRules 25 ContainerRestartRule[]
ContainerPort: name 1 string, hostPort 2 int, containerPort 3 int, protocol 4 string, hostIP 5 string
EnvFromSource: prefix 1 string, configMapRef 2 ConfigMapEnvSource, secretRef 3 SecretEnvSource
ConfigMapEnvSource: * 1 LocalObjectReference, optional 2 bool
SecretEnvSource: * 1 LocalObjectReference, optional 2 bool
EnvVar: name 1 string, value 2 string, valueFrom 3 EnvVarSource
EnvVarSource: fieldRef 1 ObjectFieldSelector, resourceFieldRef 2 ResourceFieldSelector, configMapKeyRef
  3 ConfigMapKeySelector, secretKeyRef 4 SecretKeySelector, fileKeyRef 5 FileKeySelector
ConfigMapKeySelector: * 1 LocalObjectReference, key 2 string, optional 3 bool
SecretKeySelector: * 1 LocalObjectReference, key 2 string, optional 3 bool
FileKeySelector: volumeName 1 string, path 2 string, key 3 string, optional 4 bool
ResourceRequirements: limits 1 quantity{}, requests 2 quantity{}, claims 3 ResourceClaim[]
ResourceClaim: name 1 string, request 2 string
ContainerResizePolicy: resourceName 1 string, restartPolicy 2 string
ContainerRestartRule: action 1 string, exitCodes 2 ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator 1 string, values 2 int[]
VolumeMount: name 1 string, readOnly 2 bool, mountPath 3 string, subPath 4 string, mountPropagation 5
  string, subPathExpr 6 string, recursiveReadOnly 7 string
VolumeDevice: name 1 string, devicePath 2 string
Probe: * 1 ProbeHandler, initialDelaySeconds 2 int, timeoutSeconds 3 int, periodSeconds 4 int,
  successThreshold 5 int, failureThreshold 6 int, terminationGracePeriodSeconds 7 int
ProbeHandler: exec 1 ExecAction, httpGet 2 HTTPGetAction, tcpSocket 3 TCPSocketAction, grpc 4 GRPCAction
ExecAction: command 1 string[]
HTTPGetAction: path 1 string, port 2 port, host 3 string, scheme 4 string, httpHeaders 5 HTTPHeader[]
HTTPHeader: name 1 string, value 2 string
TCPSocketAction: port 1 port, host 2 string
GRPCAction: port 1 int, service 2 string
Lifecycle: postStart 1 LifecycleHandler, preStop 2 LifecycleHandler, stopSignal 3 string
LifecycleHandler: exec 1 ExecAction, httpGet 2 HTTPGetAction, tcpSocket 3 TCPSocketAction, sleep 4
  SleepAction
SleepAction: seconds 1 int
SecurityContext: capabilities 1 Capabilities, privileged 2 bool, seLinuxOptions 3 SELinuxOptions,
  runAsUser 4 int, runAsNonRoot 5 bool, readOnlyRootFilesystem 6 bool, allowPrivilegeEscalation 7 bool,
  runAsGroup 8 int, procMount 9 string, windowsOptions 10 WindowsSecurityContextOptions, seccompProfile
  11 SeccompProfile, appArmorProfile 12 AppArmorProfile
Capabilities: add 1 string[], drop 2 string[]
SELinuxOptions: user 1 string, role 2 string, type 3 string, level 4 string
WindowsSecurityContextOptions: gmsaCredentialSpecName 1 string, gmsaCredentialSpec 2 string,
  runAsUserName 3 string, hostProcess 4 bool
SeccompProfile: type 1 string, localhostProfile 2 string
AppArmorProfile: type 1 string, localhostProfile 2 string
EphemeralContainer: * 1 EphemeralContainerCommon, targetContainerName 2 string
EphemeralContainerCommon: name 1 string, image 2 string, command 3 string[], args 4 string[], workingDir
  5 string, ports 6 ContainerPort[], env 7 EnvVar[], resources 8 ResourceRequirements, volumeMounts 9
  VolumeMount[], livenessProbe 10 Probe, readinessProbe 11 Probe, lifecycle 12 Lifecycle,
  terminationMessagePath 13 string, imagePullPolicy 14 string, securityContext 15 SecurityContext, stdin
  16 bool, stdinOnce 17 bool, tty 18 bool, envFrom 19 EnvFromSource[], terminationMessagePolicy 20
  string, volumeDevices 21 VolumeDevice[], startupProbe 22 Probe, resizePolicy 23
  ContainerResizePolicy[], restartPolicy 24 string, restartPolicyRules 25 ContainerRestartRule[]
PodSecurityContext: seLinuxOptions 1 SELinuxOptions, runAsUser 2 int, runAsNonRoot 3 bool,
  supplementalGroups 4 int[], fsGroup 5 int, runAsGroup 6 int, sysctls 7 Sysctl[], windowsOptions 8
  WindowsSecurityContextOptions, fsGroupChangePolicy 9 string, seccompProfile 10 SeccompProfile,
  appArmorProfile 11 AppArmorProfile, supplementalGroupsPolicy 12 string, seLinuxChangePolicy 13 string
Sysctl: name 1 string, value 2 string
Affinity: nodeAffinity 1 NodeAffinity, podAffinity 2 PodAffinity, podAntiAffinity 3 PodAntiAffinity
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution 1 NodeSelector,
  preferredDuringSchedulingIgnoredDuringExecution 2 PreferredSchedulingTerm[]
NodeSelector: nodeSelectorTerms 1 NodeSelectorTerm[]
NodeSelectorTerm: matchExpressions 1 NodeSelectorRequirement[], matchFields 2 NodeSelectorRequirement[]
NodeSelectorRequirement: key 1 string, operator 2 string, values 3 string[]
PreferredSchedulingTerm: weight 1 int, preference 2 NodeSelectorTerm
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution 1 PodAffinityTerm[],
  preferredDuringSchedulingIgnoredDuringExecution 2 WeightedPodAffinityTerm[]
PodAffinityTerm: labelSelector 1 LabelSelector, namespaces 2 string[], topologyKey 3 string,
  namespaceSelector 4 LabelSelector, matchLabelKeys 5 string[], mismatchLabelKeys 6 string[]
WeightedPodAffinityTerm: weight 1 int, podAffinityTerm 2 PodAffinityTerm
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution 1 PodAffinityTerm[],
  preferredDuringSchedulingIgnoredDuringExecution 2 WeightedPodAffinityTerm[]
Toleration: key 1 string, operator 2 string, value 3 string, effect 4 string, tolerationSeconds 5 int
HostAlias: ip 1 string, hostnames 2 string[]
PodDNSConfig: nameservers 1 string[], searches 2 string[], options 3 PodDNSConfigOption[]
PodDNSConfigOption: name 1 string, value 2 string
PodReadinessGate: conditionType 1 string
TopologySpreadConstraint: maxSkew 1 int, topologyKey 2 string, whenUnsatisfiable 3 string, labelSelector
  4 LabelSelector, minDomains 5 int, nodeAffinityPolicy 6 string, nodeTaintsPolicy 7 string,
  matchLabelKeys 8 string[]
PodOS: name 1 string
PodSchedulingGate: name 1 string
PodResourceClaim: name 1 string, resourceClaimName 3 string, resourceClaimTemplateName 4 string
PodSchedulingGroup: podGroupName 1 string
PodStatus: phase 1 string, conditions 2 PodCondition[], message 3 string, reason 4 string, hostIP 5
  string, podIP 6 string, startTime 7 time, containerStatuses 8 ContainerStatus[], qosClass 9 string,
  initContainerStatuses 10 ContainerStatus[], nominatedNodeName 11 string, podIPs 12 PodIP[],
  ephemeralContainerStatuses 13 ContainerStatus[], resize 14 string, resourceClaimStatuses 15
  PodResourceClaimStatus[], hostIPs 16 HostIP[], observedGeneration 17 int, extendedResourceClaimStatus
  18 PodExtendedResourceClaimStatus, allocatedResources 19 quantity{}, resources 20
  ResourceRequirements, nodeAllocatableResourceClaimStatuses 21 NodeAllocatableResourceClaimStatus[]
PodCondition: type 1 string, status 2 string, lastProbeTime 3 time, lastTransitionTime 4 time, reason 5
  string, message 6 string, observedGeneration 7 int
HostIP: ip 1 string
PodIP: ip 1 string
ContainerStatus: name 1 string, state 2 ContainerState, lastState 3 ContainerState, ready 4 bool,
  restartCount 5 int, image 6 string, imageID 7 string, containerID 8 string, started 9 bool,
  allocatedResources 10 quantity{}, resources 11 ResourceRequirements, volumeMounts 12
  VolumeMountStatus[], user 13 ContainerUser, allocatedResourcesStatus 14 ResourceStatus[], stopSignal
  15 string
ContainerState: waiting 1 ContainerStateWaiting, running 2 ContainerStateRunning, terminated 3
  ContainerStateTerminated
ContainerStateWaiting: reason 1 string, message 2 string
ContainerStateRunning: startedAt 1 time
ContainerStateTerminated: exitCode 1 int, signal 2 int, reason 3 string, message 4 string, startedAt 5
  time, finishedAt 6 time, containerID 7 string
VolumeMountStatus: name 1 string, mountPath 2 string, readOnly 3 bool, recursiveReadOnly 4 string,
  volumeStatus 5 VolumeStatus
VolumeStatus: image 1 ImageVolumeStatus
ImageVolumeStatus: imageRef 1 string
ContainerUser: linux 1 LinuxContainerUser
LinuxContainerUser: uid 1 int, gid 2 int, supplementalGroups 3 int[]
ResourceStatus: name 1 string, resources 2 ResourceHealth[]
ResourceHealth: resourceID 1 string, health 2 string, message 6 string
PodResourceClaimStatus: name 1 string, resourceClaimName 2 string
PodExtendedResourceClaimStatus: requestMappings 1 ContainerExtendedResourceRequest[], resourceClaimName
  2 string
ContainerExtendedResourceRequest: containerName 1 string, resourceName 2 string, requestName 3 string
NodeAllocatableResourceClaimStatus: resourceClaimName 1 string, containers 2 string[], resources 3
  quantity{}
`;
