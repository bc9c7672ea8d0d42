/**
 * What a reload would change: field by field, with secrets masked, and the
 * configuration that would be in force after it. Pure.
 *
 * Invariant: fields that need a restart keep their running value, so that what
 * is shown as in force is in force.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ConfigurationDifference } from '../../ports/host/configuration-report.ts';
import { CONFIG_PATHS } from '../config/config-fields.ts';
import {
  type JsonObject,
  type JsonValue,
  valueAt,
  withoutValueAt,
  withValueAt,
} from '../config/json-value.ts';
import type { ConfigPath, KubeletConfiguration } from '../config/kubelet-configuration.ts';
import type { LoadedConfiguration } from '../config/load/load-configuration.ts';
import { maskSecrets } from '../config/render-config.ts';
import { RELOADABLE_FIELDS } from './reloadable-fields.ts';

export interface ReloadPlan {
  readonly differences: readonly ConfigurationDifference[];
  /** In force after the reload. */
  readonly next: LoadedConfiguration;
}

export function planReload(running: LoadedConfiguration, inFiles: LoadedConfiguration): ReloadPlan {
  const [before, after] = [toJson(running), toJson(inFiles)];
  const [shownBefore, shownAfter] = [maskSecrets(before), maskSecrets(after)];
  const differences: ConfigurationDifference[] = [];
  let config = before;
  for (const field of CONFIG_PATHS) {
    if (isDeepStrictEqual(valueAt(before, field), valueAt(after, field))) continue;
    const because = RELOADABLE_FIELDS.get(field)?.(running, inFiles);
    const takes = RELOADABLE_FIELDS.has(field) && because === undefined ? 'reload' : 'restart';
    if (takes === 'reload') config = withValueOf(config, field, valueAt(after, field));
    const shown = { running: valueAt(shownBefore, field), inFiles: valueAt(shownAfter, field) };
    differences.push({ field, ...shown, takes, because });
  }
  return { differences, next: { ...running, config: config as unknown as KubeletConfiguration } };
}

function toJson({ config }: LoadedConfiguration): JsonObject {
  return config as unknown as JsonObject;
}

function withValueOf(config: JsonObject, field: ConfigPath, value: JsonValue | undefined): JsonObject {
  return value === undefined ? withoutValueAt(config, field) : withValueAt(config, field, value);
}
