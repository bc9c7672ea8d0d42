/** The headers that HTTP/2 knows by number (RFC 7541, appendix A), and those that a peer has added, within a bound. */

export type Header = readonly [name: string, value: string];

/** Names and values in turn; the first has number 1. */
const STATIC = (
  ':authority||:method|GET|:method|POST|:path|/|:path|/index.html|:scheme|http|:scheme|https|:status|200|:status|204|' +
  ':status|206|:status|304|:status|400|:status|404|:status|500|accept-charset||accept-encoding|gzip, deflate|' +
  'accept-language||accept-ranges||accept||access-control-allow-origin||age||allow||authorization||cache-control||' +
  'content-disposition||content-encoding||content-language||content-length||content-location||content-range||' +
  'content-type||cookie||date||etag||expect||expires||from||host||if-match||if-modified-since||if-none-match||if-range||' +
  'if-unmodified-since||last-modified||link||location||max-forwards||proxy-authenticate||proxy-authorization||range||' +
  'referer||refresh||retry-after||server||set-cookie||strict-transport-security||transfer-encoding||user-agent||vary||' +
  'via||www-authenticate|'
).split('|');
const STATIC_COUNT = STATIC.length / 2;

/** By name, and by name and value. */
let numbers: Map<string, number> | undefined;

/** The number of a header that is in the standard, or of its name. */
export function staticNumberOf([name, value]: Header | readonly [name: string]): number | undefined {
  numbers ??= numberStatic();
  return numbers.get(value === undefined ? name : `${name}: ${value}`);
}

function numberStatic(): Map<string, number> {
  const all = new Map<string, number>();
  for (let number = STATIC_COUNT; number > 0; number--) {
    const [name, value] = [STATIC[2 * number - 2] ?? '', STATIC[2 * number - 1] ?? ''];
    all.set(name, number);
    if (value !== '') all.set(`${name}: ${value}`, number);
  }
  return all;
}

/** What an entry counts beside its text. */
const ENTRY_BYTES = 32;

export function headerBytes([name, value]: Header): number {
  return name.length + value.length + ENTRY_BYTES;
}

export class HeaderTable {
  readonly #limit: number;
  /** The newest last. */
  readonly #added: Header[] = [];
  #bytes = 0;
  #maxBytes: number;

  /** `limit` is what the peer was granted. */
  constructor(limit: number) {
    this.#limit = limit;
    this.#maxBytes = limit;
  }

  /** Undefined when no header has that number. */
  get(index: number): Header | undefined {
    if (index > STATIC_COUNT) return this.#added[this.#added.length - (index - STATIC_COUNT)];
    const name = STATIC[2 * index - 2];
    return name === undefined ? undefined : [name, STATIC[2 * index - 1] ?? ''];
  }

  /** The oldest make room; one that is larger than all the room empties the table. */
  add(header: Header): void {
    const bytes = headerBytes(header);
    this.#evict(this.#maxBytes - bytes);
    if (bytes > this.#maxBytes) return;
    this.#added.push(header);
    this.#bytes += bytes;
  }

  /** False when it is more than the peer was granted. */
  resize(bytes: number): boolean {
    if (bytes > this.#limit) return false;
    this.#maxBytes = bytes;
    this.#evict(bytes);
    return true;
  }

  #evict(bytes: number): void {
    while (this.#bytes > bytes) {
      const oldest = this.#added.shift();
      if (oldest === undefined) return;
      this.#bytes -= headerBytes(oldest);
    }
  }
}
