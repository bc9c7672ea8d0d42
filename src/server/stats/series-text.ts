/**
 * Series of cgroups in the text format. There are tens of thousands of lines
 * on a full node: each is put together from texts that are made once, and many
 * become bytes with one call.
 */
import type { CgroupLabels } from '../../core/stats/cgroup-details.ts';
import { toLabelText } from '../../core/stats/series/series.ts';
import type { SeriesColumn, SeriesTable } from '../../core/stats/series/series-table.ts';
import type { ReplySink } from '../http/http-exchange.ts';

const CHUNK_BYTES = 256 * 1024;
/** So many lines become bytes at once. */
const LINES_PER_PIECE = 128;
/** No character takes more. */
const MAX_CHARACTER_BYTES = 3;

/** What all lines of a cgroup share. */
interface LineTexts {
  readonly labels: string;
  /** The end of a line with the time. */
  readonly end: string;
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
    if (this.#length >= CHUNK_BYTES) await this.#flush();
  }

  /** Every series, each with its values of all cgroups. One without a value is left out. */
  async writeSeries({ columns, cgroups }: SeriesTable): Promise<void> {
    const texts = cgroups.map(({ labels, atMs }) => ({
      labels: toLabels(labels),
      end: ` ${Math.trunc(atMs)}\n`,
    }));
    for (const column of columns)
      for (let first = 0; first < column.length; first += LINES_PER_PIECE)
        await this.writeText(renderPiece(column, first, texts));
  }

  async end(): Promise<void> {
    if (this.#length > 0) await this.#flush();
  }

  #append(text: string): void {
    const needed = this.#length + text.length * MAX_CHARACTER_BYTES;
    if (needed > this.#buffer.length) this.#grow(needed);
    this.#length += this.#buffer.write(text, this.#length);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }

  /** Hands on what is collected. */
  async #flush(): Promise<void> {
    await this.#sink.write(this.#buffer.subarray(0, this.#length));
    if (this.#sink.givesBack !== true) this.#buffer = Buffer.allocUnsafeSlow(this.#buffer.length);
    this.#length = 0;
  }
}

/** Some lines, and before the first one of the series what it is. */
function renderPiece(column: SeriesColumn, first: number, texts: readonly LineTexts[]): string {
  const { name, help, kind, isTimed } = column.series;
  const { labels, length } = column;
  const last = Math.min(first + LINES_PER_PIECE, length);
  let text = first === 0 ? `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n` : '';
  for (let index = first; index < last; index++) {
    const shared = texts[column.ownerAt(index)];
    const own = labels[index];
    text += `${name}{${shared?.labels}${own === undefined ? '' : `,${own}`}} ${column.valueAt(index)}`;
    text += isTimed ? shared?.end : '\n';
  }
  return text;
}

/** A cgroup keeps its labels from one scrape to the next; their text is made once. */
const labelTexts = new WeakMap<CgroupLabels, string>();

function toLabels(of: CgroupLabels): string {
  const known = labelTexts.get(of);
  if (known !== undefined) return known;
  const { container, id, image, name, namespace, pod } = of;
  const text = Object.entries({ container, id, image, name, namespace, pod })
    .map(([label, value]) => toLabelText(label, value))
    .join(',');
  labelTexts.set(of, text);
  return text;
}
