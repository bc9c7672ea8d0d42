/**
 * The request to a flexVolume driver and its answer: options as one JSON
 * object, an answer as another. "Not supported" is an answer of its own: the
 * agent then does the default itself.
 */
import type { StringMap } from '../../api/meta.ts';
import type { Pod } from '../../api/pod.ts';
import type { FlexSource } from '../../api/volume.ts';

export interface FlexCapabilities {
  readonly attach: boolean;
  readonly selinuxRelabel: boolean;
  readonly supportsMetrics: boolean;
  readonly fsGroup: boolean;
}

const DEFAULT_CAPABILITIES: FlexCapabilities = {
  attach: true,
  selinuxRelabel: true,
  supportsMetrics: false,
  fsGroup: true,
};

export type FlexAnswer =
  | { readonly kind: 'done'; readonly device: string; readonly capabilities: FlexCapabilities }
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'failed'; readonly message: string };

/** `output` is all that the driver printed. */
export function parseFlexAnswer(command: string, output: string): FlexAnswer {
  let answer: Readonly<Record<string, unknown>>;
  try {
    answer = JSON.parse(output) as Readonly<Record<string, unknown>>;
    if (typeof answer !== 'object' || answer === null) throw new SyntaxError('it is no object');
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    return { kind: 'failed', message: `${command} command answered ${JSON.stringify(output)}: ${why}` };
  }
  const word = (key: string): string => (typeof answer[key] === 'string' ? answer[key] : '');
  const status = word('status');
  if (status === 'Not supported') return { kind: 'unsupported' };
  if (status !== 'Success') {
    const message = `${command} command failed, status: ${status}, reason: ${word('message')}`;
    return { kind: 'failed', message };
  }
  const answered = Object.entries(answer).find(([key]) => key.toLowerCase() === 'capabilities')?.[1];
  return { kind: 'done', device: word('device'), capabilities: toCapabilities(answered) };
}

/** Missing fields have their defaults. */
function toCapabilities(answered: unknown): FlexCapabilities {
  const given = (typeof answered === 'object' && answered !== null ? answered : {}) as Readonly<
    Record<string, unknown>
  >;
  const names = Object.keys(DEFAULT_CAPABILITIES) as (keyof FlexCapabilities)[];
  const entries = names.map((name) => [
    name,
    typeof given[name] === 'boolean' ? given[name] : DEFAULT_CAPABILITIES[name],
  ]);
  return Object.fromEntries(entries) as unknown as FlexCapabilities;
}

/** With the volume's own options last: they win. */
export function toFlexOptions(
  innerName: string,
  { fsType = '', options = {} }: FlexSource,
  readOnly: boolean,
  more: StringMap = {},
): StringMap {
  return {
    'kubernetes.io/fsType': fsType,
    'kubernetes.io/readwrite': readOnly ? 'ro' : 'rw',
    'kubernetes.io/pvOrVolumeName': innerName,
    ...more,
    ...options,
  };
}

/** The pod. */
export function toFlexPodOptions({ metadata, spec }: Pod): StringMap {
  const { fsGroup } = spec.securityContext ?? {};
  return {
    'kubernetes.io/pod.name': metadata.name,
    'kubernetes.io/pod.namespace': metadata.namespace,
    'kubernetes.io/pod.uid': metadata.uid,
    'kubernetes.io/serviceAccount.name': spec.serviceAccountName ?? '',
    ...(fsGroup === undefined ? {} : { 'kubernetes.io/mounterArgs.FsGroup': String(fsGroup) }),
  };
}

/** With sorted keys, as upstream writes them. */
export function renderFlexOptions(options: StringMap): string {
  return JSON.stringify(Object.fromEntries(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))));
}
