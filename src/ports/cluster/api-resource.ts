/** The places in the API that the agent uses. */
import type { ApiResource } from './api-server.ts';

const inGroup =
  (group: string, version: string) =>
  (plural: string): ApiResource => ({ group, version, plural });

const core = inGroup('', 'v1');

export const PODS = core('pods');
export const NODES = core('nodes');
export const SECRETS = core('secrets');
export const CONFIG_MAPS = core('configmaps');
export const SERVICES = core('services');
export const SERVICE_ACCOUNTS = core('serviceaccounts');
export const EVENTS = core('events');
export const PERSISTENT_VOLUMES = core('persistentvolumes');
export const PERSISTENT_VOLUME_CLAIMS = core('persistentvolumeclaims');
export const LEASES = inGroup('coordination.k8s.io', 'v1')('leases');
export const RUNTIME_CLASSES = inGroup('node.k8s.io', 'v1')('runtimeclasses');
export const CSI_NODES = inGroup('storage.k8s.io', 'v1')('csinodes');
export const CSI_DRIVERS = inGroup('storage.k8s.io', 'v1')('csidrivers');
export const VOLUME_ATTACHMENTS = inGroup('storage.k8s.io', 'v1')('volumeattachments');
export const CERTIFICATE_SIGNING_REQUESTS = inGroup(
  'certificates.k8s.io',
  'v1',
)('certificatesigningrequests');
export const CLUSTER_TRUST_BUNDLES = inGroup('certificates.k8s.io', 'v1beta1')('clustertrustbundles');
export const CLUSTER_TRUST_BUNDLES_ALPHA = inGroup('certificates.k8s.io', 'v1alpha1')('clustertrustbundles');
export const POD_CERTIFICATE_REQUESTS = inGroup('certificates.k8s.io', 'v1beta1')('podcertificaterequests');
export const TOKEN_REVIEWS = inGroup('authentication.k8s.io', 'v1')('tokenreviews');
export const SUBJECT_ACCESS_REVIEWS = inGroup('authorization.k8s.io', 'v1')('subjectaccessreviews');
