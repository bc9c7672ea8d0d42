/**
 * What a container's environment is made from besides the pod itself. The
 * agent gathers these before it asks for a configuration; the rules only look
 * them up.
 */
import type { StringMap } from '../api/meta.ts';

/** The answer to a look-up of an API object. */
export type ObjectLookup =
  /** `data` as text; values of secrets decoded. */
  | {
      readonly kind: 'found';
      readonly data: StringMap;
      /** Exact bytes of values that may not be text; they win over `data`. Volumes show these. */
      readonly bytes?: Readonly<Record<string, Uint8Array>>;
      /** Of a secret: its identity and type. */
      readonly secret?: { readonly uid: string; readonly type: string };
    }
  | { readonly kind: 'missing' }
  /** Reading failed; the text is shown to the user. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The agent runs without an API server. */
  | { readonly kind: 'no-api' };

export type FileLookup =
  | { readonly kind: 'found'; readonly text: string }
  | { readonly kind: 'no-volume' }
  | { readonly kind: 'unreadable' };

/** The parts of an API Service that variables are made from. */
export interface ServiceLike {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly clusterIP?: string;
    readonly ports?: readonly {
      readonly name?: string;
      readonly port: number;
      readonly protocol?: string;
    }[];
  };
}

export interface EnvironmentObjects {
  configMap(namespace: string, name: string): ObjectLookup;
  secret(namespace: string, name: string): ObjectLookup;
  /** The file at `path` inside a volume of the pod. */
  file(volumeName: string, path: string): FileLookup;
  /** Undefined until services were read once. */
  services(): readonly ServiceLike[] | undefined;
}
