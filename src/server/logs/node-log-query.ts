/**
 * A query for the logs of the host's services: its query string decoded
 * and checked, and the arguments of journalctl that answer it. Pure. Texts are
 * those clients of the upstream kubelet see.
 */

export interface NodeLogQuery {
  readonly services: readonly string[];
  readonly files: readonly string[];
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly tailLines?: number;
  readonly boot?: number;
  readonly pattern?: string;
}

export type ParsedNodeLogQuery =
  /** No query: the path names a file. */
  | { readonly kind: 'none' }
  | { readonly kind: 'query'; readonly query: NodeLogQuery }
  /** It cannot be read. */
  | { readonly kind: 'undecodable'; readonly message: string };

const MAX_SERVICES = 4;
const MAX_SERVICE_LENGTH = 256;
const MAX_TAIL_LINES = 100_000;
const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

export function parseNodeLogQuery(query: URLSearchParams): ParsedNodeLogQuery {
  const asked = query.getAll('query');
  const files = asked.filter((text) => /[/\\]/.test(text));
  const services = asked.filter((text) => !/[/\\]/.test(text) && text.trim() !== '');
  const problems: string[] = [];
  if (query.has('query') && files.length + services.length === 0)
    problems.push(invalid('query', asked, 'may not be empty'));
  const time = (name: string): number | undefined => {
    const text = query.get(name) ?? '';
    if (text === '' || RFC3339.test(text)) return text === '' ? undefined : Date.parse(text);
    problems.push(invalid(name, text, 'invalid time format'));
    return undefined;
  };
  const whole = (name: string): number | undefined => {
    const text = query.get(name) ?? '';
    if (text === '' || /^[+-]?\d{1,15}$/.test(text)) return text === '' ? undefined : Number(text);
    problems.push(invalid(name, text, `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`));
    return undefined;
  };
  const options = {
    sinceMs: time('sinceTime'),
    untilMs: time('untilTime'),
    boot: whole('boot'),
    tailLines: whole('tailLines'),
    pattern: query.get('pattern') || undefined,
  };
  if (problems.length > 0) return { kind: 'undecodable', message: renderAll(problems) };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  if (given.length + files.length + services.length === 0) return { kind: 'none' };
  return { kind: 'query', query: { services, files, ...Object.fromEntries(given) } };
}

/** All validation errors in one text; undefined when valid. Does not check whether a file exists. */
export function checkNodeLogQuery(query: NodeLogQuery): string | undefined {
  const { services, files, sinceMs, untilMs, boot, tailLines, pattern } = query;
  const problems = services.flatMap((name) => {
    if (name.length > MAX_SERVICE_LENGTH)
      return [invalid('query', name, `length must be less than ${MAX_SERVICE_LENGTH}`)];
    const isSafe = /^[a-zA-Z\-_.:0-9@]+$/.test(name);
    return isSafe ? [] : [invalid('query', name, 'input contains unsupported characters')];
  });
  if (services.length > MAX_SERVICES)
    problems.push(`query: Too many: ${services.length}: must have at most ${MAX_SERVICES} items`);
  if (files.length + services.length === 0)
    problems.push('query: Required value: cannot be empty with options');
  else if (files.length > 0 && services.length > 0)
    problems.push(invalid('query', [...files, ...services].join(', '), 'cannot specify a file and service'));
  else if (files.length > 1) problems.push(invalid('query', files, 'cannot specify more than one file'));
  else if (files.length === 1 && hasOptions(query))
    problems.push(invalid('query', files, 'cannot specify file with options'));
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs)
    problems.push(invalid('untilTime', new Date(untilMs).toISOString(), 'must be after `sinceTime`'));
  if (boot !== undefined && boot > 0) problems.push(invalid('boot', boot, 'must be less than 1'));
  if (tailLines !== undefined && (tailLines < 0 || tailLines > MAX_TAIL_LINES))
    problems.push(invalid('tailLines', tailLines, `must be between 0 and ${MAX_TAIL_LINES}, inclusive`));
  const fault = pattern === undefined ? undefined : patternFault(pattern);
  if (fault !== undefined) problems.push(invalid('pattern', pattern, fault));
  return problems.length === 0 ? undefined : renderAll(problems);
}

/** True when the query has more than a name. */
export function hasOptions({ services: _services, files: _files, ...options }: NodeLogQuery): boolean {
  return Object.keys(options).length > 0;
}

/** Times are passed in UTC, with the zone: the host may use another one. */
export function toJournalArguments(query: NodeLogQuery, services: readonly string[]): string[] {
  const { sinceMs, untilMs, tailLines, pattern, boot } = query;
  return [
    '--utc',
    '--no-pager',
    '--output=short-precise',
    ...(sinceMs === undefined ? [] : [`--since=${renderTime(sinceMs)}`]),
    ...(untilMs === undefined ? [] : [`--until=${renderTime(untilMs)}`]),
    ...(tailLines === undefined ? [] : ['--pager-end', `--lines=${tailLines}`]),
    ...services.map((service) => `--unit=${service}`),
    ...(pattern === undefined ? [] : [`--grep=${pattern}`]),
    ...(boot === undefined ? [] : [`--boot=${boot}`]),
  ];
}

function renderTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function patternFault(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return `error parsing regexp: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function invalid(field: string, value: unknown, detail: string): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
}

function renderAll(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`;
}
