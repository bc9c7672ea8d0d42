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
  /** For each value the place of its cgroup in the table. */
  readonly owners: number[] = [];
  /** Of a series that has labels of its own for each value; of others it is empty. */
  readonly labels: LabelText[] = [];
  #values: Float64Array;
  #owner = 0;

  /** `expected` values; there may be more. */
  constructor(series: Series, expected: number) {
    this.series = series;
    this.#values = new Float64Array(expected);
  }

  valueAt(index: number): number {
    return this.#values[index] ?? 0;
  }

  add(owner: number, measured: MeasuredCgroup): void {
    this.#owner = owner;
    this.series.put(measured, this.#put);
  }

  readonly #put: PutValue = (value, labels) => {
    const { length } = this.owners;
    if (length === this.#values.length) this.#grow();
    this.#values[length] = value;
    if (labels !== undefined) this.labels[length] = labels;
    this.owners.push(this.#owner);
  };

  #grow(): void {
    const larger = new Float64Array(this.#values.length * 2 + 1);
    larger.set(this.#values);
    this.#values = larger;
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
