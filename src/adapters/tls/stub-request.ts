/** A key of the kind that a pod asks for, and the proof that we have it: an empty certificate request (PKCS #10). */
import { generateKeyPair, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { bits, integer, objectId, sequence, tagged } from './der-writer.ts';

// Long keys take seconds, so they are generated off the main thread.
const makeKeys = promisify(generateKeyPair);

interface KeyKind {
  readonly create: () => Promise<{ readonly privateKey: KeyObject; readonly publicKey: KeyObject }>;
  /** Null for a kind that has its digest built in. */
  readonly digest: string | null;
  readonly algorithm: Uint8Array;
}

const NULL = Uint8Array.of(0x05, 0x00);
const RSA_SHA256 = sequence(objectId('1.2.840.113549.1.1.11'), NULL);

const rsa = (modulusLength: number): KeyKind => ({
  create: () => makeKeys('rsa', { modulusLength }),
  digest: 'sha256',
  algorithm: RSA_SHA256,
});
const ecdsa = (namedCurve: string, digest: string, id: string): KeyKind => ({
  create: () => makeKeys('ec', { namedCurve }),
  digest,
  algorithm: sequence(objectId(id)),
});

const KINDS: ReadonlyMap<string, KeyKind> = new Map([
  ['RSA3072', rsa(3072)],
  ['RSA4096', rsa(4096)],
  ['ECDSAP256', ecdsa('P-256', 'sha256', '1.2.840.10045.4.3.2')],
  ['ECDSAP384', ecdsa('P-384', 'sha384', '1.2.840.10045.4.3.3')],
  ['ECDSAP521', ecdsa('P-521', 'sha512', '1.2.840.10045.4.3.4')],
  [
    'ED25519',
    {
      create: () => makeKeys('ed25519', {}),
      digest: null,
      algorithm: sequence(objectId('1.3.101.112')),
    },
  ],
]);

export interface StubRequest {
  /** PKCS #8 PEM. */
  readonly key: string;
  /** DER. */
  readonly request: Uint8Array;
}

/** Undefined for an unknown kind of key. */
export async function createStubRequest(keyType: string): Promise<StubRequest | undefined> {
  const kind = KINDS.get(keyType);
  if (kind === undefined) return undefined;
  const { privateKey, publicKey } = await kind.create();
  const body = sequence(
    integer(Uint8Array.of(0)),
    sequence(),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa0),
  );
  const signature = bits(sign(kind.digest, body, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    request: sequence(body, kind.algorithm, signature),
  };
}
