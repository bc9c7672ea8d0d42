/**
 * The node's resolver file, the base of every pod's DNS settings that follow
 * the node.
 */

import { accept, type Outcome, refuse } from '../../base/outcome.ts';
import type { DnsConfig } from '../model/sandbox-config.ts';

const MAX_LENGTH = 10 * 1024 * 1024;

/**
 * Reads the text of a resolver file. Nameservers accumulate, the last
 * `search` line wins, options merge by name. Unknown keywords are skipped.
 */
export function parseResolvConf(text: string): Outcome<DnsConfig> {
  if (text.length > MAX_LENGTH) return refuse('the read limit is reached');
  const servers: string[] = [];
  let searches: string[] = [];
  let options: string[] = [];
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === 'nameserver') {
      const [server] = values;
      if (server === undefined) return refuse('nameserver list is empty ');
      servers.push(server);
    } else if (keyword === 'search') {
      searches = values.filter((value) => value !== '.').map((value) => value.replace(/\.$/, ''));
    } else if (keyword === 'options') {
      options = mergeOptions(options, values);
    }
  }
  return accept({ servers, searches, options });
}

/** Joins resolver options by the name before the first `:`; the later value wins in the earlier place. */
export function mergeOptions(base: readonly string[], more: readonly string[]): string[] {
  const merged = new Map<string, string>();
  for (const option of [...base, ...more]) merged.set(option.split(':', 1)[0] ?? '', option);
  return [...merged.values()];
}
