/**
 * Counters, gauges and histograms with labels, kept in plain maps. Nothing
 * is computed before a read. A family with labels has no series
 * before its first use; one without labels starts at zero.
 */

export type MetricKind = 'counter' | 'gauge' | 'histogram';
/** `NONE` is not printed: metrics every process has carry no stability promise. */
export type Stability = 'NONE' | 'INTERNAL' | 'ALPHA' | 'BETA' | 'STABLE';
export type Labels = Readonly<Record<string, string>>;

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly stability?: Stability;
  /** In the order they are printed. */
  readonly labels?: readonly string[];
}

export interface Sample {
  /** What is appended to the name of the family, such as `_bucket`. */
  readonly suffix: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
  /** When it was measured; absent for a value of the moment it is read. */
  readonly timestampMs?: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly stability: Stability;
  readonly kind: MetricKind;
  samples(): readonly Sample[];
}

/** For durations of calls, in seconds. */
const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

class Series<T> {
  readonly #names: readonly string[];
  readonly #create: () => T;
  readonly #items = new Map<string, { readonly values: readonly string[]; readonly item: T }>();

  constructor(names: readonly string[], create: () => T) {
    this.#names = names;
    this.#create = create;
    if (names.length === 0) this.at({});
  }

  at(labels: Labels): T {
    const values = this.#names.map((name) => labels[name] ?? '');
    const key = values.join('\0');
    const known = this.#items.get(key);
    if (known !== undefined) return known.item;
    const item = this.#create();
    this.#items.set(key, { values, item });
    return item;
  }

  delete(matching: Labels): void {
    const wanted = Object.entries(matching);
    for (const [key, { values }] of this.#items)
      if (wanted.every(([name, value]) => values[this.#names.indexOf(name)] === value))
        this.#items.delete(key);
  }

  clear(): void {
    this.#items.clear();
  }

  *each(): Generator<readonly [labels: Sample['labels'], item: T]> {
    for (const { values, item } of this.#items.values())
      yield [this.#names.map((name, index) => [name, values[index] ?? ''] as const), item];
  }
}

abstract class Family implements MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly stability: Stability;
  abstract readonly kind: MetricKind;

  constructor({ name, help, stability = 'ALPHA' }: MetricDefinition) {
    this.name = name;
    this.help = help;
    this.stability = stability;
  }

  abstract samples(): readonly Sample[];
}

class NumberFamily extends Family {
  readonly kind: 'counter' | 'gauge';
  protected readonly series: Series<{ value: number }>;

  constructor(kind: 'counter' | 'gauge', definition: MetricDefinition) {
    super(definition);
    this.kind = kind;
    this.series = new Series(definition.labels ?? [], () => ({ value: 0 }));
  }

  add(amount: number, labels: Labels = {}): void {
    this.series.at(labels).value += amount;
  }

  /** Removes the series that carry all of these labels. */
  remove(labels: Labels): void {
    this.series.delete(labels);
  }

  samples(): readonly Sample[] {
    return [...this.series.each()].map(([labels, { value }]) => ({ suffix: '', labels, value }));
  }
}

export class Counter extends NumberFamily {
  constructor(definition: MetricDefinition) {
    super('counter', definition);
  }
}

export class Gauge extends NumberFamily {
  constructor(definition: MetricDefinition) {
    super('gauge', definition);
  }

  set(value: number, labels: Labels = {}): void {
    this.series.at(labels).value = value;
  }

  /** Drops every series. */
  reset(): void {
    this.series.clear();
  }
}

export class Histogram extends Family {
  readonly kind = 'histogram';
  readonly #buckets: readonly number[];
  readonly #series: Series<{ counts: number[]; sum: number }>;

  constructor(definition: MetricDefinition & { readonly buckets?: readonly number[] }) {
    super(definition);
    this.#buckets = definition.buckets ?? DEFAULT_BUCKETS;
    this.#series = new Series(definition.labels ?? [], () => ({
      counts: Array<number>(this.#buckets.length + 1).fill(0),
      sum: 0,
    }));
  }

  observe(value: number, labels: Labels = {}): void {
    const series = this.#series.at(labels);
    const found = this.#buckets.findIndex((bound) => value <= bound);
    const index = found < 0 ? this.#buckets.length : found;
    series.counts[index] = (series.counts[index] ?? 0) + 1;
    series.sum += value;
  }

  remove(labels: Labels): void {
    this.#series.delete(labels);
  }

  samples(): readonly Sample[] {
    return [...this.#series.each()].flatMap(([labels, { counts, sum }]) => {
      let total = 0;
      const buckets = counts.map((count, index): Sample => {
        total += count;
        const bound = this.#buckets[index];
        const text = bound === undefined ? '+Inf' : renderBound(bound);
        return { suffix: '_bucket', labels: [...labels, ['le', text]], value: total };
      });
      return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: total }];
    });
  }
}

/** In the usual spelling, because it is a label: with an exponent from a million on and below 0.0001. */
function renderBound(bound: number): string {
  const size = Math.abs(bound);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(bound);
  return bound.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

export class MetricRegistry {
  readonly #families = new Map<string, MetricFamily>();
  readonly #collectors: (() => void)[] = [];

  /** Adds a family and returns it. Throws when the name is taken: two owners would mix their numbers. */
  add<T extends MetricFamily>(family: T): T {
    if (this.#families.has(family.name)) throw new Error(`metric ${family.name} exists already`);
    this.#families.set(family.name, family);
    return family;
  }

  /** Called before each reading, to set gauges to what is true then. */
  onRead(collect: () => void): void {
    this.#collectors.push(collect);
  }

  /** All families as they are, in no order. */
  families(): Iterable<Pick<MetricFamily, 'name' | 'stability'>> {
    return this.#families.values();
  }

  /** All families by name. */
  read(): readonly MetricFamily[] {
    for (const collect of this.#collectors) collect();
    return [...this.#families.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }
}
