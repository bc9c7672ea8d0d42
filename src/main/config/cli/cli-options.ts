/** The values of the flags as the sub-commands read them. Pure. */
import { parseDurationNanos } from '../../../base/text/go-duration.ts';
import type { LabelSelector } from '../../../core/api/label-selector.ts';
import { type OutputTemplate, parseOutputTemplate } from './output-template.ts';
import { parseSelector } from './parse-selector.ts';

export type OutputFormat = 'table' | 'wide' | 'json' | 'yaml' | 'name';

export interface CliOptions {
  /** Absent when none was named. */
  readonly rootDir?: string;
  readonly socket?: string;
  /** Absent when none was named: then `default` comes first, but is not insisted on. */
  readonly namespace?: string;
  readonly allNamespaces: boolean;
  readonly output: OutputFormat;
  /** What `-o` chooses, where it is a template. */
  readonly template: OutputTemplate | undefined;
  readonly selector: LabelSelector | undefined;
  readonly watch: boolean;
  readonly noHeaders: boolean;
  readonly container?: string;
  readonly follow: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly allContainers: boolean;
  readonly prefix: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly stdin: boolean;
  readonly tty: boolean;
  /** Of images: those that nothing uses; those that a collection would delete. */
  readonly unused: boolean;
  readonly plan: boolean;
  /** Of explain: who would be evicted. */
  readonly eviction: boolean;
  /** Of run: until every pod has ended; without an end of pods. */
  readonly once: boolean;
  readonly keep: boolean;
  readonly runtimeEndpoint?: string;
  /** Of doctor. */
  readonly config?: string;
  readonly kubeconfig?: string;
  readonly certDir?: string;
  /** Of top. */
  readonly sortBy?: 'cpu' | 'memory';
}

const OUTPUTS: readonly string[] = ['json', 'yaml', 'wide', 'name'];

/** A text says what is wrong. */
export function toOptions(values: ReadonlyMap<string, string>): CliOptions | string {
  const output = values.get('output');
  const template = parseOutputTemplate(output ?? '');
  if (typeof template === 'string') return template;
  if (output !== undefined && template === undefined && !OUTPUTS.includes(output))
    return `unknown output format ${JSON.stringify(output)}: want ${OUTPUTS.join(', ')}, jsonpath=… or custom-columns=…`;
  const labels = values.get('selector');
  const selector = labels === undefined ? undefined : parseSelector(labels);
  if (labels !== undefined && selector === undefined)
    return `invalid selector ${JSON.stringify(labels)}: want such as app=web,tier!=db`;
  const tail = values.get('tail');
  if (tail !== undefined && !/^(-1|\d{1,15})$/.test(tail))
    return `invalid number of lines ${JSON.stringify(tail)}: want a whole number, or -1 for all`;
  const since = values.get('since');
  const sinceNanos = since === undefined ? undefined : parseDurationNanos(since);
  if (since !== undefined && (sinceNanos === undefined || sinceNanos <= 0n))
    return `invalid duration ${JSON.stringify(since)}: want such as 30s or 5m`;
  const sortBy = values.get('sort-by');
  if (sortBy !== undefined && sortBy !== 'cpu' && sortBy !== 'memory')
    return `unknown order ${JSON.stringify(sortBy)}: want cpu or memory`;
  const has = (name: string): boolean => values.has(name);
  const texts = {
    rootDir: values.get('root-dir'),
    socket: values.get('socket'),
    namespace: values.get('namespace'),
    container: values.get('container'),
    runtimeEndpoint: values.get('runtime-endpoint'),
    config: values.get('config'),
    kubeconfig: values.get('kubeconfig'),
    certDir: values.get('cert-dir'),
    sortBy,
  };
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    allNamespaces: has('all-namespaces'),
    output: (template === undefined ? (output ?? 'table') : 'table') as OutputFormat,
    template,
    selector,
    watch: has('watch'),
    noHeaders: has('no-headers'),
    follow: has('follow'),
    ...(tail === undefined || tail === '-1' ? {} : { tailLines: Number(tail) }),
    ...(sinceNanos === undefined
      ? {}
      : { sinceSeconds: Number((sinceNanos + 999_999_999n) / 1_000_000_000n) }),
    allContainers: has('all-containers'),
    prefix: has('prefix'),
    previous: has('previous'),
    timestamps: has('timestamps'),
    stdin: has('stdin'),
    tty: has('tty'),
    unused: has('unused'),
    plan: has('plan'),
    eviction: has('eviction'),
    once: has('once'),
    keep: has('keep'),
  };
}
