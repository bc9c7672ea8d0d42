/** The parts that certificates and requests for them are made of, as DER, and their PEM form. */
import { isIP } from 'node:net';
import { objectId, octets, sequence, set, tagged, truth, utf8 } from './der-writer.ts';

export const ECDSA_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));

export function extension(id: string, value: Uint8Array, critical = false): Uint8Array {
  return sequence(objectId(id), ...(critical ? [truth()] : []), octets(value));
}

/** Organizations first, which is the usual order. */
export function toName(commonName: string, organizations: readonly string[] = []): Uint8Array {
  const part = (id: string, text: string): Uint8Array => set(sequence(objectId(id), utf8(text)));
  return sequence(...organizations.map((name) => part('2.5.4.10', name)), part('2.5.4.3', commonName));
}

/** The extension with the names (text) and addresses that a server is reached by. */
export function alternativeNames(names: readonly string[]): Uint8Array {
  const parts = names.map((name) =>
    isIP(name) === 0 ? tagged(0x82, Buffer.from(name)) : tagged(0x87, toAddressBytes(withoutZone(name))),
  );
  return extension('2.5.29.17', sequence(...parts));
}

export function toPem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

/** `fe80::1%eth0` without the zone, for which a certificate has no place. */
function withoutZone(address: string): string {
  return address.split('%', 1)[0] ?? '';
}

function toAddressBytes(text: string): Uint8Array {
  if (isIP(text) === 4) return Uint8Array.from(text.split('.').map(Number));
  // The URL parser writes an address in full except for one `::`.
  const [head = '', tail = ''] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::');
  const groups = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((g) => Number.parseInt(g, 16));
  const [front, back] = [groups(head), groups(tail)];
  const all = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}
