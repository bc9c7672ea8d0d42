/**
 * The fields of the objects that a manifest may hold besides pods where there is no API server; notation as in
 * pod-schema.ts. Of persistent volumes only kinds that need no controller.
 */
export const LOCAL_OBJECT_SCHEMA = {
  ConfigMap: `
    apiVersion kind: string
    metadata: ObjectMeta
    data binaryData: {string}
    immutable: bool`,
  Secret: `
    apiVersion kind type: string
    metadata: ObjectMeta
    data stringData: {string}
    immutable: bool`,
  PersistentVolume: `
    apiVersion kind: string
    metadata: ObjectMeta
    spec: PersistentVolumeSpec
    status: any`,
  PersistentVolumeSpec: `
    storageClassName volumeAttributesClassName volumeMode persistentVolumeReclaimPolicy: string
    capacity: {quantity}
    accessModes mountOptions: [string]
    claimRef: ObjectReference
    nodeAffinity: VolumeNodeAffinity
    fc: FCVolumeSource
    flexVolume: FlexVolumeSource
    hostPath: HostPathVolumeSource
    iscsi: ISCSIVolumeSource
    local: LocalVolumeSource
    nfs: NFSVolumeSource`,
  LocalVolumeSource: `
    path! fsType: string`,
  VolumeNodeAffinity: `
    required: NodeSelector`,
  ObjectReference: `
    apiVersion fieldPath kind name namespace resourceVersion uid: string`,
  PersistentVolumeClaim: `
    apiVersion kind: string
    metadata: ObjectMeta
    spec: PersistentVolumeClaimSpec
    status: any`,
} as const;
