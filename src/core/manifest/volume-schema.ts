/**
 * The fields of a pod's volume sources and what they hold (Kubernetes 1.36); notation as in pod-schema.ts.
 * Old in-tree sources are listed too: they are legal in a manifest even where nothing mounts them any more.
 */

export const VOLUME_SCHEMA = {
  Volume: `
    name!: string
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource
    azureDisk: AzureDiskVolumeSource
    azureFile: AzureFileVolumeSource
    csi: CSIVolumeSource
    cephfs: CephFSVolumeSource
    cinder: CinderVolumeSource
    configMap: ConfigMapVolumeSource
    downwardAPI: DownwardAPIVolumeSource
    emptyDir: EmptyDirVolumeSource
    ephemeral: EphemeralVolumeSource
    fc: FCVolumeSource
    flexVolume: FlexVolumeSource
    flocker: FlockerVolumeSource
    gcePersistentDisk: GCEPersistentDiskVolumeSource
    gitRepo: GitRepoVolumeSource
    glusterfs: GlusterfsVolumeSource
    hostPath: HostPathVolumeSource
    iscsi: ISCSIVolumeSource
    image: ImageVolumeSource
    nfs: NFSVolumeSource
    persistentVolumeClaim: PersistentVolumeClaimVolumeSource
    photonPersistentDisk: PhotonPersistentDiskVolumeSource
    portworxVolume: PortworxVolumeSource
    projected: ProjectedVolumeSource
    quobyte: QuobyteVolumeSource
    rbd: RBDVolumeSource
    scaleIO: ScaleIOVolumeSource
    secret: SecretVolumeSource
    storageos: StorageOSVolumeSource
    vsphereVolume: VsphereVirtualDiskVolumeSource`,
  AWSElasticBlockStoreVolumeSource: `
    volumeID! fsType: string
    readOnly: bool
    partition: int32`,
  AzureDiskVolumeSource: `
    diskName! diskURI! cachingMode fsType kind: string
    readOnly: bool`,
  AzureFileVolumeSource: `
    secretName! shareName!: string
    readOnly: bool`,
  CephFSVolumeSource: `
    path secretFile user: string
    readOnly: bool
    secretRef: LocalObjectReference
    monitors!: [string]`,
  CinderVolumeSource: `
    volumeID! fsType: string
    readOnly: bool
    secretRef: LocalObjectReference`,
  ConfigMapVolumeSource: `
    name: string
    optional: bool
    defaultMode: int32
    items: [KeyToPath]`,
  KeyToPath: `
    key! path!: string
    mode: int32`,
  CSIVolumeSource: `
    driver! fsType: string
    readOnly: bool
    nodePublishSecretRef: LocalObjectReference
    volumeAttributes: {string}`,
  DownwardAPIVolumeSource: `
    defaultMode: int32
    items: [DownwardAPIVolumeFile]`,
  DownwardAPIVolumeFile: `
    path!: string
    mode: int32
    fieldRef: ObjectFieldSelector
    resourceFieldRef: ResourceFieldSelector`,
  EmptyDirVolumeSource: `
    medium: string
    sizeLimit: quantity`,
  EphemeralVolumeSource: `
    volumeClaimTemplate: PersistentVolumeClaimTemplate`,
  PersistentVolumeClaimTemplate: `
    metadata: ObjectMeta
    spec: PersistentVolumeClaimSpec`,
  PersistentVolumeClaimSpec: `
    storageClassName volumeAttributesClassName volumeMode volumeName: string
    selector: LabelSelector
    dataSource: TypedLocalObjectReference
    dataSourceRef: TypedObjectReference
    resources: VolumeResourceRequirements
    accessModes: [string]`,
  TypedLocalObjectReference: `
    kind! name! apiGroup: string`,
  TypedObjectReference: `
    kind! name! apiGroup namespace: string`,
  VolumeResourceRequirements: `
    limits requests: {quantity}`,
  FCVolumeSource: `
    fsType: string
    readOnly: bool
    lun: int32
    targetWWNs wwids: [string]`,
  FlexVolumeSource: `
    driver! fsType: string
    readOnly: bool
    secretRef: LocalObjectReference
    options: {string}`,
  FlockerVolumeSource: `
    datasetName datasetUUID: string`,
  GCEPersistentDiskVolumeSource: `
    pdName! fsType: string
    readOnly: bool
    partition: int32`,
  GitRepoVolumeSource: `
    repository! directory revision: string`,
  GlusterfsVolumeSource: `
    endpoints! path!: string
    readOnly: bool`,
  HostPathVolumeSource: `
    path! type: string`,
  ImageVolumeSource: `
    pullPolicy reference: string`,
  ISCSIVolumeSource: `
    iqn! targetPortal! fsType initiatorName iscsiInterface: string
    chapAuthDiscovery chapAuthSession readOnly: bool
    lun!: int32
    secretRef: LocalObjectReference
    portals: [string]`,
  NFSVolumeSource: `
    path! server!: string
    readOnly: bool`,
  PersistentVolumeClaimVolumeSource: `
    claimName!: string
    readOnly: bool`,
  PhotonPersistentDiskVolumeSource: `
    pdID! fsType: string`,
  PortworxVolumeSource: `
    volumeID! fsType: string
    readOnly: bool`,
  ProjectedVolumeSource: `
    defaultMode: int32
    sources: [VolumeProjection]`,
  VolumeProjection: `
    clusterTrustBundle: ClusterTrustBundleProjection
    configMap: ConfigMapProjection
    downwardAPI: DownwardAPIProjection
    podCertificate: PodCertificateProjection
    secret: SecretProjection
    serviceAccountToken: ServiceAccountTokenProjection`,
  ClusterTrustBundleProjection: `
    path! name signerName: string
    optional: bool
    labelSelector: LabelSelector`,
  ConfigMapProjection: `
    name: string
    optional: bool
    items: [KeyToPath]`,
  DownwardAPIProjection: `
    items: [DownwardAPIVolumeFile]`,
  PodCertificateProjection: `
    keyType! signerName! certificateChainPath credentialBundlePath keyPath: string
    maxExpirationSeconds: int32
    userAnnotations: {string}`,
  SecretProjection: `
    name: string
    optional: bool
    items: [KeyToPath]`,
  ServiceAccountTokenProjection: `
    path! audience: string
    expirationSeconds: int64`,
  QuobyteVolumeSource: `
    registry! volume! group tenant user: string
    readOnly: bool`,
  RBDVolumeSource: `
    image! fsType keyring pool user: string
    readOnly: bool
    secretRef: LocalObjectReference
    monitors!: [string]`,
  ScaleIOVolumeSource: `
    gateway! system! fsType protectionDomain storageMode storagePool volumeName: string
    readOnly sslEnabled: bool
    secretRef: LocalObjectReference`,
  SecretVolumeSource: `
    secretName: string
    optional: bool
    defaultMode: int32
    items: [KeyToPath]`,
  StorageOSVolumeSource: `
    fsType volumeName volumeNamespace: string
    readOnly: bool
    secretRef: LocalObjectReference`,
  VsphereVirtualDiskVolumeSource: `
    volumePath! fsType storagePolicyID storagePolicyName: string`,
} as const;
