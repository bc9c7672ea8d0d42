/**
 * Series of cgroups in the text format. There are tens of thousands of lines
 * on a full node, so a line is put together in a buffer from parts that are
 * made once: the name for a series, the labels and the time for a cgroup.
 */
import type { CgroupLabels, MeasuredCgroup } from '../../core/stats/cgroup-details.ts';
import { type Series, toLabelText } from '../../core/stats/series/series.ts';
import type { ReplySink } from '../http/http-exchange.ts';

const CHUNK_BYTES = 256 * 1024;
/** Of a number, a time and what stands between. */
const SPARE_BYTES = 96;

/** A cgroup with the texts that all its lines share. */
interface PreparedCgroup {
  readonly measured: MeasuredCgroup;
  readonly labels: Uint8Array;
  readonly time: string;
}

export class SeriesWriter {
  readonly #sink: ReplySink;
  #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES + CHUNK_BYTES / 2);
  #length = 0;

  constructor(sink: ReplySink) {
    this.#sink = sink;
  }

  async writeText(text: string): Promise<void> {
    this.#append(text);
    await this.#flush(CHUNK_BYTES);
  }

  /** Every series, each with its values of all cgroups. One without a value is left out. */
  async writeSeries(table: readonly Series[], cgroups: readonly MeasuredCgroup[]): Promise<void> {
    const prepared = cgroups.map(prepare);
    for (const series of table) await this.#writeOne(series, prepared);
  }

  async end(): Promise<void> {
    await this.#flush(0);
  }

  async #writeOne(series: Series, cgroups: readonly PreparedCgroup[]): Promise<void> {
    const { name, help, kind, isTimed } = series;
    const head = Buffer.from(`${name}{`);
    let current: PreparedCgroup | undefined;
    let isBegun = false;
    const put = (value: number, labels?: string): void => {
      if (current === undefined) return;
      if (!isBegun) this.#append(`# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`);
      isBegun = true;
      this.#line(head, current.labels, labels);
      this.#append(isTimed ? `} ${value} ${current.time}\n` : `} ${value}\n`);
    };
    for (const cgroup of cgroups) {
      current = cgroup;
      series.put(cgroup.measured, put);
      if (this.#length >= CHUNK_BYTES) await this.#flush(CHUNK_BYTES);
    }
  }

  #line(head: Uint8Array, labels: Uint8Array, more: string | undefined): void {
    this.#reserve(head.length + labels.length);
    this.#buffer.set(head, this.#length);
    this.#length += head.length;
    this.#buffer.set(labels, this.#length);
    this.#length += labels.length;
    if (more === undefined) return;
    this.#append(',');
    this.#append(more);
  }

  #append(text: string): void {
    // No character takes more than three bytes.
    this.#reserve(text.length * 3);
    this.#length += this.#buffer.write(text, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes + SPARE_BYTES;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }

  /** Hands on what is collected once it is that much. */
  async #flush(atLeast: number): Promise<void> {
    if (this.#length === 0 || this.#length < atLeast) return;
    await this.#sink.write(this.#buffer.subarray(0, this.#length));
    if (this.#sink.givesBack !== true) this.#buffer = Buffer.allocUnsafeSlow(this.#buffer.length);
    this.#length = 0;
  }
}

/** A cgroup keeps its labels from one scrape to the next; their text is made once. */
const labelTexts = new WeakMap<CgroupLabels, Uint8Array>();

function prepare(measured: MeasuredCgroup): PreparedCgroup {
  const { labels, details } = measured;
  const known = labelTexts.get(labels);
  const text = known ?? Buffer.from(toLabels(labels));
  if (known === undefined) labelTexts.set(labels, text);
  return { measured, labels: text, time: String(Math.trunc(details.atMs)) };
}

function toLabels({ container, id, image, name, namespace, pod }: CgroupLabels): string {
  return Object.entries({ container, id, image, name, namespace, pod })
    .map(([label, value]) => toLabelText(label, value))
    .join(',');
}
