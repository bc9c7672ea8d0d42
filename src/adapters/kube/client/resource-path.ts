/** Where objects and sets of them live on the API server: paths and query strings. */
import type { ApiResource, ListQuery, ObjectRef } from '../../../ports/cluster/api-server.ts';

/** `/api/v1/pods`, `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases`. */
export function toCollectionPath(resource: ApiResource, namespace?: string): string {
  const { group, version, plural } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const within = namespace === undefined || namespace === '' ? '' : `/namespaces/${encode(namespace)}`;
  return `${root}${within}/${plural}`;
}

export function toObjectPath(ref: ObjectRef, subresource?: string): string {
  const path = `${toCollectionPath(ref.resource, ref.namespace)}/${encode(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** `?a=1&b=2`, or nothing when every value is undefined. */
export function renderQuery(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** The path of a set with its selectors. */
export function toListPath(
  query: ListQuery,
  more: Readonly<Record<string, string | number | boolean | undefined>> = {},
): string {
  const { fieldSelector, labelSelector } = query;
  return (
    toCollectionPath(query.resource, query.namespace) + renderQuery({ fieldSelector, labelSelector, ...more })
  );
}

/** `pods "default/web"`, for messages. */
export function renderRef(ref: ObjectRef): string {
  const place = ref.namespace === undefined || ref.namespace === '' ? '' : `${ref.namespace}/`;
  return `${ref.resource.plural} "${place}${ref.name}"`;
}

/** One path segment: a name with `/` or `..` must not lead elsewhere. */
function encode(segment: string): string {
  const text = encodeURIComponent(segment);
  return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : text;
}
