/**
 * One list of all flags, from the three tables: configuration fields, process flags, ignored leftovers.
 * The parser and --help both read this list, so a flag cannot exist for one and not for the other.
 */
import {
  CONFIG_FLAG_NOTICE,
  CONFIG_FLAGS,
  configFlagDefault,
  configFlagType,
  KEPT_FLAGS,
} from './config-flags.ts';
import type { FlagType } from './flag-values.ts';
import type { JsonValue } from './json-value.ts';
import type { ConfigPath } from './kubelet-configuration.ts';
import {
  IGNORED_FLAG_NOTICE,
  IGNORED_FLAGS,
  PROCESS_FLAGS,
  type ProcessFlagSpec,
  type ProcessFlags,
} from './process-flags.ts';

export type FlagTarget =
  | { readonly kind: 'config'; readonly path: ConfigPath }
  | { readonly kind: 'process'; readonly key: keyof ProcessFlags }
  | { readonly kind: 'help' | 'version' | 'ignored' };

export interface FlagSpec {
  readonly name: string;
  readonly shorthand?: string;
  readonly type: FlagType;
  readonly default: JsonValue;
  readonly about: string;
  /** Why it is deprecated; absent for flags that stay. */
  readonly deprecated?: string;
  readonly target: FlagTarget;
}

const OWN_FLAGS: readonly FlagSpec[] = [
  {
    name: 'help',
    shorthand: 'h',
    type: 'bool',
    default: false,
    about: 'print this text',
    target: { kind: 'help' },
  },
  {
    name: 'version',
    type: 'version',
    default: 'false',
    about: 'print the version and exit; =raw prints its parts; =vX.Y.Z… overrides what is reported',
    target: { kind: 'version' },
  },
];

/** Every flag this program accepts, sorted by name. */
export const ALL_FLAGS: readonly FlagSpec[] = [
  ...CONFIG_FLAGS.map(toConfigFlag),
  ...(Object.keys(PROCESS_FLAGS) as (keyof ProcessFlags)[]).map(toProcessFlag),
  ...IGNORED_FLAGS.map(
    ([name, type, value]): FlagSpec => ({
      name,
      type,
      default: value,
      about: 'no effect',
      deprecated: IGNORED_FLAG_NOTICE,
      target: { kind: 'ignored' },
    }),
  ),
  ...OWN_FLAGS,
].sort((a, b) => (a.name < b.name ? -1 : 1));

function toConfigFlag([name, path, about]: (typeof CONFIG_FLAGS)[number]): FlagSpec {
  return {
    name,
    ...(name === 'v' ? { shorthand: 'v' } : {}),
    type: configFlagType(name, path),
    default: configFlagDefault(path),
    about,
    ...(KEPT_FLAGS.has(name) ? {} : { deprecated: CONFIG_FLAG_NOTICE }),
    target: { kind: 'config', path },
  };
}

function toProcessFlag(key: keyof ProcessFlags): FlagSpec {
  const spec: ProcessFlagSpec = PROCESS_FLAGS[key];
  const { flag, type, default: value, about, deprecated } = spec;
  return {
    name: flag,
    type,
    default: value,
    about,
    ...(deprecated === undefined ? {} : { deprecated }),
    target: { kind: 'process', key },
  };
}
