/**
 * A map in a kubeconfig with its place in the file, so that reading a field of
 * the wrong type fails with file, line and field. Never quotes values: they
 * may be secrets.
 */
import { AgentError } from '../../../base/errors.ts';
import type { YamlDocument } from '../../../core/manifest/parse-yaml.ts';

type Map = Readonly<Record<string, unknown>>;

export class KubeconfigFields {
  readonly #file: string;
  readonly #document: YamlDocument;
  readonly #at: string;
  readonly #map: Map;

  /** The whole document, or the map at `at` in it. */
  constructor(file: string, document: YamlDocument, at = '', value: unknown = document.value) {
    this.#file = file;
    this.#document = document;
    this.#at = at;
    if (!isMap(value)) throw this.problem('', 'must be a map');
    this.#map = value;
  }

  pathOf(name: string): string {
    if (name === '') return this.#at;
    return this.#at === '' ? name : `${this.#at}.${name}`;
  }

  /** `kubeconfig "/x", line 3: users[0].user.token`. */
  describe(name: string): string {
    const path = this.pathOf(name);
    const place = path === '' ? '' : `, line ${this.#document.lineOf(path)}: ${path}`;
    return `kubeconfig "${this.#file}"${place}`;
  }

  problem(name: string, message: string): AgentError {
    return new AgentError('invalid-argument', `${this.describe(name)} ${message}`);
  }

  has(name: string): boolean {
    return this.#map[name] !== undefined && this.#map[name] !== null;
  }

  expectKind(kind: string): void {
    const found = this.text('kind');
    if (found !== undefined && found !== '' && found !== kind)
      throw this.problem('kind', `must be ${kind}, not ${JSON.stringify(found)}`);
  }

  text(name: string): string | undefined {
    const value = this.#map[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw this.problem(name, 'must be text; put it into quotes');
    return value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined || value === '') throw this.problem(name, 'is missing');
    return value;
  }

  flag(name: string): boolean {
    const value = this.#map[name] ?? false;
    if (typeof value !== 'boolean') throw this.problem(name, 'must be true or false');
    return value;
  }

  texts(name: string): readonly string[] {
    const value = this.#map[name] ?? [];
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
      throw this.problem(name, 'must be a list of texts');
    return value;
  }

  url(name: string, schemes: readonly string[], fallbackScheme = ''): URL | undefined {
    const value = this.text(name);
    if (value === undefined || value === '') return undefined;
    const url = URL.parse(value.includes('://') ? value : fallbackScheme + value);
    if (url === null || url.host === '') throw this.problem(name, 'is not a URL');
    if (!schemes.includes(url.protocol)) {
      const known = schemes.map((scheme) => `${scheme}//`).join(' or ');
      throw this.problem(name, `has scheme ${JSON.stringify(url.protocol)}; only ${known} is supported`);
    }
    return url;
  }

  /** The decoded text of a base64 field. */
  base64(name: string): string {
    const value = this.required(name).replace(/\s+/g, '');
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0)
      throw this.problem(name, 'is not base64');
    return Buffer.from(value, 'base64').toString('utf8');
  }

  child(name: string): KubeconfigFields | undefined {
    if (!this.has(name)) return undefined;
    return new KubeconfigFields(this.#file, this.#document, this.pathOf(name), this.#map[name]);
  }

  /** The maps of a list field. */
  children(name: string): readonly KubeconfigFields[] {
    const value = this.#map[name] ?? [];
    if (!Array.isArray(value)) throw this.problem(name, 'must be a list');
    return value.map(
      (item: unknown, i) =>
        new KubeconfigFields(this.#file, this.#document, `${this.pathOf(name)}[${i}]`, item),
    );
  }

  /** What the entry called `wanted` of a list such as `users` holds under `user`; `by` is the field that names it. */
  named(list: string, wanted: string, inner: string, by: string): KubeconfigFields {
    const entry = this.children(list).find((one) => one.text('name') === wanted);
    if (entry === undefined)
      throw this.problem(by, `names ${inner} ${JSON.stringify(wanted)}, which is not in ${list}`);
    return entry.child(inner) ?? new KubeconfigFields(this.#file, this.#document, entry.pathOf(inner), {});
  }
}

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
