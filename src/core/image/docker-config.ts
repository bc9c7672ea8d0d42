/**
 * Registry credentials as files and secrets hold them: `config.json`
 * (`.dockerconfigjson`) with its `auths`, and the older `.dockercfg`, which is
 * that map alone. Complaints never repeat what the text holds.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import { type Fields, toFields } from './field-reader.ts';

export interface DockerConfigEntry {
  readonly username: string;
  readonly password: string;
  readonly email: string;
}

/** By registry, as written: host, with scheme or path or neither. */
export type DockerConfig = ReadonlyMap<string, DockerConfigEntry>;

/** The `auths` of a config.json; none when there are none. */
export function parseDockerConfigJson(text: string): Outcome<DockerConfig> {
  const document = parseObject(text);
  if (document === undefined) return refuse('it is not a JSON object');
  const { auths } = document;
  if (auths === undefined || auths === null) return accept(new Map());
  const map = toFields(auths);
  return map === undefined ? refuse('auths is not a map') : toDockerConfig(map);
}

/** The older form. */
export function parseDockerCfg(text: string): Outcome<DockerConfig> {
  const document = parseObject(text);
  return document === undefined ? refuse('it is not a JSON object') : toDockerConfig(document);
}

function toDockerConfig(auths: Fields): Outcome<DockerConfig> {
  const config = new Map<string, DockerConfigEntry>();
  for (const [registry, value] of Object.entries(auths)) {
    const entry = toEntry(value);
    if (!entry.ok) return refuse(`the entry of ${JSON.stringify(registry)} ${entry.message}`);
    config.set(registry, entry.value);
  }
  return accept(config);
}

function toEntry(value: unknown): Outcome<DockerConfigEntry> {
  if (value === null) return accept({ username: '', password: '', email: '' });
  const fields = toFields(value);
  if (fields === undefined) return refuse('is not a map');
  const { username = '', password = '', email = '', auth = '' } = fields;
  const texts = [username, password, email, auth].map((field) => (field === null ? '' : field));
  if (!texts.every((field) => typeof field === 'string')) return refuse('has a field that is not text');
  const [name = '', secret = '', mail = '', encoded = ''] = texts;
  if (encoded === '') return accept({ username: name, password: secret, email: mail });
  const pair = decodePair(encoded);
  return pair === undefined
    ? refuse('has an auth that is not base64 of "username:password"')
    : accept({ ...pair, email: mail });
}

function decodePair(auth: string): { username: string; password: string } | undefined {
  let bytes: string;
  try {
    bytes = atob(auth);
  } catch {
    return undefined;
  }
  const text = new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function parseObject(text: string): Fields | undefined {
  try {
    return toFields(JSON.parse(text));
  } catch {
    return undefined;
  }
}
