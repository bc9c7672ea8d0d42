/** API paths taken apart, and field selectors applied. */
import type { Json, JsonObject } from './fake-api-patch.ts';

export interface Collection {
  /** `<group>/<version>/<plural>`. */
  readonly place: string;
  readonly plural: string;
  readonly namespace?: string;
}

export interface ApiPath {
  readonly collection: Collection;
  readonly name?: string;
  readonly subresource?: string;
}

const PATTERN =
  /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

/** Undefined when the path is none of the API. */
export function parseApiPath(pathname: string): ApiPath | undefined {
  const parts = PATTERN.exec(pathname);
  if (parts === null) return undefined;
  const [group = '', version = '', namespace, plural = '', name, subresource] = parts
    .slice(1)
    .map((part) => (part === undefined ? undefined : decodeURIComponent(part)));
  return {
    collection: toCollection(group, version, plural, namespace),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

export function toCollection(group: string, version: string, plural: string, namespace?: string): Collection {
  const place = `${group}/${version}/${plural}`;
  return { place, plural, ...(namespace === undefined ? {} : { namespace }) };
}

/** `a.b=x,c!=y`. */
export function matchesFields(object: JsonObject, selector: string): boolean {
  return selector
    .split(',')
    .filter((term) => term !== '')
    .every((term) => {
      const [, path = '', operator = '', wanted = ''] = /^([^!=]+)(!=|==|=)(.*)$/.exec(term) ?? [];
      const found = path
        .split('.')
        .reduce<Json | undefined>((value, key) => (value as JsonObject | undefined)?.[key], object);
      return (String(found ?? '') === wanted) === (operator !== '!=');
    });
}
