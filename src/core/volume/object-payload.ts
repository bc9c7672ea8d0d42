/**
 * Files made of a ConfigMap or a Secret: every key, or the listed ones at
 * their paths. Missing things are refused unless the reference is optional.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { quote } from '../../base/text/quote.ts';
import type { KeyToPath } from '../api/volume.ts';
import type { ObjectLookup } from '../model/environment-objects.ts';
import { cleanPath, NO_DEFAULT_MODE, type Payload, type PayloadFile } from './payload.ts';

export type ObjectKind = 'configmap' | 'secret';

export interface ObjectSource {
  readonly name: string;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
  readonly defaultMode: number | undefined;
}

const STANDALONE = 'not supported due to running kubelet in standalone mode';
const MISSING_KEY: Readonly<Record<ObjectKind, string>> = {
  configmap: 'configmap references non-existent config key',
  secret: 'references non-existent secret key',
};

export function toObjectPayload(
  kind: ObjectKind,
  source: ObjectSource,
  lookup: ObjectLookup,
): Outcome<Payload> {
  switch (lookup.kind) {
    case 'found':
      return toFiles(kind, source, toBytes(lookup));
    case 'missing':
      return source.optional === true ? accept(new Map()) : refuse(`${kind} ${quote(source.name)} not found`);
    case 'failed':
      return refuse(lookup.message);
    case 'no-api':
      return refuse(STANDALONE);
  }
}

function toFiles(
  kind: ObjectKind,
  { items = [], optional, defaultMode }: ObjectSource,
  data: ReadonlyMap<string, Uint8Array>,
): Outcome<Payload> {
  if (defaultMode === undefined) return refuse(NO_DEFAULT_MODE);
  if (items.length === 0)
    return accept(new Map([...data].map(([key, content]) => [key, { content, mode: defaultMode }])));
  const files = new Map<string, PayloadFile>();
  for (const { key, path, mode = defaultMode } of items) {
    const content = data.get(key);
    if (content !== undefined) files.set(cleanPath(path), { content, mode });
    else if (optional !== true) return refuse(`${MISSING_KEY[kind]}: ${key}`);
  }
  return accept(files);
}

/** Values that are text are in `data`, the exact bytes of others in `bytes`. */
function toBytes({ data, bytes = {} }: ObjectLookup & { kind: 'found' }): ReadonlyMap<string, Uint8Array> {
  const encoder = new TextEncoder();
  const texts = Object.entries(data).map(([key, text]) => [key, encoder.encode(text)] as const);
  return new Map([...texts, ...Object.entries(bytes)]);
}
