/**
 * Patterns of image repositories (`*.registry.example:5000/team`), as the keys
 * of registry credentials and the matchImages of credential plugins are
 * written: the host label by label with wildcards, the port exactly, the path
 * as a plain prefix.
 */
import { matchesGlob } from './glob.ts';

export interface RegistryPattern {
  readonly labels: readonly string[];
  readonly port: string;
  readonly path: string;
}

/** Reads `host[:port][/path]` without a scheme; undefined for what is no such thing. */
export function parseRegistryPattern(text: string): RegistryPattern | undefined {
  const [withoutQuery = ''] = text.split(/[?#]/, 1);
  const slash = withoutQuery.indexOf('/');
  const authority = slash === -1 ? withoutQuery : withoutQuery.slice(0, slash);
  const path = decodePath(slash === -1 ? '' : withoutQuery.slice(slash));
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (path === undefined || hasBadCharacter(text) || /[ "<>^`{|}%]/.test(host)) return undefined;
  const colon = host.lastIndexOf(':');
  // A colon inside brackets is of an address, not before a port.
  if (colon === -1 || host.indexOf(']', colon) !== -1) return { labels: host.split('.'), port: '', path };
  const port = host.slice(colon + 1);
  if (!/^\d*$/.test(port)) return undefined;
  return { labels: host.slice(0, colon).split('.'), port, path };
}

/** Whether `image`, a repository with its registry, is one that `pattern` means. */
export function matchesRegistry(pattern: string, image: string): boolean {
  const wanted = parseRegistryPattern(pattern);
  const given = parseRegistryPattern(image);
  if (wanted === undefined || given === undefined) return false;
  return (
    wanted.port === given.port &&
    wanted.labels.length === given.labels.length &&
    given.path.startsWith(wanted.path) &&
    wanted.labels.every((label, i) => matchesGlob(label, given.labels[i] ?? ''))
  );
}

function hasBadCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function decodePath(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
