/**
 * The values of many cgroups, series by series, as `/metrics/cadvisor` prints
 * them. Cgroups are added one by one as they are read: only their numbers are
 * kept, so that what was read of one is garbage before the next is read.
 */
import type { CgroupLabels, MeasuredCgroup } from '../cgroup-details.ts';
import { CONTAINER_SERIES } from './container-series.ts';
import type { LabelText, PutValue, Series } from './series.ts';

/** A cgroup of the table. */
export interface TableCgroup {
  readonly labels: CgroupLabels;
  readonly atMs: number;
}

/** One series, with its values in the order in which cgroups were added. */
export class SeriesColumn {
  readonly series: Series;
  /** Of a series that has labels of its own for each value; of others it is empty. */
  readonly labels: LabelText[] = [];
  /** For each value the place of its cgroup in the table. */
  #owners: Uint32Array;
  #values: Float64Array;
  #length = 0;
  #owner = 0;

  /** `expected` values; there may be more. */
  constructor(series: Series, expected: number) {
    this.series = series;
    this.#owners = new Uint32Array(expected);
    this.#values = new Float64Array(expected);
  }

  /** How many values there are. */
  get length(): number {
    return this.#length;
  }

  ownerAt(index: number): number {
    return this.#owners[index] ?? 0;
  }

  valueAt(index: number): number {
    return this.#values[index] ?? 0;
  }

  add(owner: number, measured: MeasuredCgroup): void {
    this.#owner = owner;
    this.series.put(measured, this.#put);
  }

  readonly #put: PutValue = (value, labels) => {
    const at = this.#length++;
    if (at === this.#values.length) this.#grow(at * 2 + 1);
    this.#values[at] = value;
    this.#owners[at] = this.#owner;
    if (labels !== undefined) this.labels.push(labels);
  };

  #grow(length: number): void {
    const [values, owners] = [this.#values, this.#owners];
    this.#values = new Float64Array(length);
    this.#values.set(values);
    this.#owners = new Uint32Array(length);
    this.#owners.set(owners);
  }
}

export class SeriesTable {
  readonly cgroups: TableCgroup[] = [];
  readonly columns: readonly SeriesColumn[];

  /** `expected` cgroups; there may be more. */
  constructor(expected = 0) {
    this.columns = CONTAINER_SERIES.map((series) => new SeriesColumn(series, expected));
  }

  add(measured: MeasuredCgroup): void {
    const owner = this.cgroups.length;
    this.cgroups.push({ labels: measured.labels, atMs: measured.details.atMs });
    // There are many of both, and `for … of` makes an object for each step.
    this.columns.forEach((column) => {
      column.add(owner, measured);
    });
  }
}
