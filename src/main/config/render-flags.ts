/**
 * All flags with their effective command-line values: the `FLAG:` lines of the start log and /flagz. Pure.
 * Invariant: header values of --manifest-url-header never appear.
 */
import { ALL_FLAGS } from './flag-table.ts';
import type { ParsedFlags } from './flags.ts';
import { isConfigObject, type JsonValue } from './json-value.ts';
import { MASK } from './render-config.ts';

/** One `--name="value"` per flag, sorted by name. */
export function renderFlags(parsed: ParsedFlags): readonly string[] {
  return ALL_FLAGS.map((flag) => {
    const value = parsed.values.get(flag.name) ?? flag.default;
    return `--${flag.name}=${JSON.stringify(flag.type === 'multimap' ? renderMasked(value) : renderValue(value))}`;
  });
}

function renderValue(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item) => renderValue(item as JsonValue)).join(',')}]`;
  if (!isConfigObject(value)) return String(value);
  return Object.entries(value)
    .map(([key, item]) => `${key}=${renderValue(item)}`)
    .join(',');
}

function renderMasked(value: JsonValue): string {
  return isConfigObject(value)
    ? Object.keys(value)
        .map((name) => `${name}:${MASK}`)
        .join(',')
    : '';
}
