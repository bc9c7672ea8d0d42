/**
 * What a release is made of, as a CycloneDX document: the packages in the
 * bundle and the Node around them, from package-lock.json. The same input
 * gives the same bytes.
 */
import { createHash } from 'node:crypto';
import type { Architecture } from './architecture.ts';
import { type Lock, type LockedPackage, lockedPackage, runTimePackages } from './lock.ts';

const NAME = 'kubelet-ts';

interface Component {
  readonly type: 'application' | 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
}

export function renderSbom(lock: Lock, architectures: readonly Architecture[], epochSeconds: number): string {
  const packages = runTimePackages(lock);
  const root = component('application', NAME, {
    ...lock.packages[''],
    version: lock.version,
    license: 'Apache-2.0',
  });
  const libraries = [...packages].map(([name, entry]) => component('library', name, entry));
  const nodes = architectures
    .map((architecture) => `node-linux-${architecture}`)
    .map((name) => component('application', name, lockedPackage(lock, name)));
  const refs = new Map([...libraries, ...nodes].map((item) => [item.name, item['bom-ref']]));
  const dependsOn = (names: readonly string[]): string[] =>
    names.flatMap((name) => refs.get(name) ?? []).sort();
  const direct = Object.keys(lock.packages['']?.dependencies ?? {});
  const document = {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 },
    metadata: { timestamp: new Date(epochSeconds * 1000).toISOString(), component: root },
    components: [...libraries, ...nodes],
    dependencies: [
      { ref: root['bom-ref'], dependsOn: dependsOn([...direct, ...nodes.map(({ name }) => name)]) },
      ...[...packages].map(([name, { dependencies = {} }]) => ({
        ref: refs.get(name),
        dependsOn: dependsOn(Object.keys(dependencies)),
      })),
    ],
  };
  const serialNumber = `urn:uuid:${toUuid(JSON.stringify(document))}`;
  return `${JSON.stringify({ ...document, serialNumber }, undefined, 2)}\n`;
}

function component(type: Component['type'], name: string, entry: LockedPackage): Component {
  const { version, license, integrity } = entry;
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const digest = integrity?.startsWith('sha512-') ? integrity.slice('sha512-'.length) : undefined;
  return {
    ...{ type, 'bom-ref': purl, name, version, purl },
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    ...(digest === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  };
}

/** A UUID of the kind that is made of a digest. */
function toUuid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
