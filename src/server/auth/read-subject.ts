/**
 * The subject of a certificate, read from its DER: Node's text form is meant
 * for people and ambiguous, so one crafted name could read as two attributes.
 * Strict: anything that is not the expected shape is refused.
 */

export interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Values of the attribute that carries a UID. */
  readonly uids: readonly string[];
}

const SEQUENCE = 0x30;
const SET = 0x31;
const OBJECT_ID = 0x06;
const CONTEXT_0 = 0xa0;
const COMMON_NAME = '550403';
const ORGANIZATION = '55040a';
/** 1.3.6.1.4.1.57683.2 */
const UID = '2b0601040183c25302';

const LATIN: ReadonlySet<number> = new Set([0x13, 0x14, 0x16, 0x12]);
const UTF8 = 0x0c;
const UCS2 = 0x1e;

/** Throws when the bytes are no certificate. The last common name counts, as in Go. */
export function readSubject(certificate: Uint8Array): Subject {
  const [outer] = readElements(certificate);
  const [tbs] = readElements(expect(outer, SEQUENCE));
  const fields = readElements(expect(tbs, SEQUENCE));
  // version (optional), serial, signature, issuer, validity, subject
  const subject = fields[fields[0]?.tag === CONTEXT_0 ? 5 : 4];
  let commonName = '';
  const organizations: string[] = [];
  const uids: string[] = [];
  for (const set of readElements(expect(subject, SEQUENCE)))
    for (const pair of readElements(expect(set, SET))) {
      const [type, value] = readElements(expect(pair, SEQUENCE));
      const id = Buffer.from(expect(type, OBJECT_ID)).toString('hex');
      if (id === COMMON_NAME) commonName = readText(value);
      else if (id === ORGANIZATION) organizations.push(readText(value));
      else if (id === UID) uids.push(readText(value));
    }
  return { commonName, organizations, uids };
}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

function readElements(bytes: Uint8Array): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    let length = bytes[at + 1] ?? Number.POSITIVE_INFINITY;
    let start = at + 2;
    if (length >= 0x80) {
      const count = length - 0x80;
      if (count === 0 || count > 4) throw malformed();
      length = 0;
      for (const byte of bytes.subarray(start, start + count)) length = length * 256 + byte;
      start += count;
    }
    if (start + length > bytes.length) throw malformed();
    elements.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

function expect(element: Element | undefined, tag: number): Uint8Array {
  if (element?.tag !== tag) throw malformed();
  return element.content;
}

function readText(element: Element | undefined): string {
  if (element === undefined) throw malformed();
  const { tag, content } = element;
  if (tag === UTF8) return new TextDecoder('utf-8', { fatal: true }).decode(content);
  if (LATIN.has(tag)) return Buffer.from(content).toString('latin1');
  if (tag === UCS2) return Buffer.from(content).swap16().toString('utf16le');
  throw malformed();
}

function malformed(): Error {
  return new Error('malformed certificate');
}
