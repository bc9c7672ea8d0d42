/** One message of a watch: a change, a bookmark that only moves the version, or the server's reason to end. */
import { AgentError, type AgentError as WatchError } from '../../../base/errors.ts';
import type { ApiObject } from '../../../ports/cluster/api-server.ts';
import type { WatchEventType } from '../../../ports/cluster/list-watch.ts';
import { toApiError, toStatus } from '../client/api-error.ts';

export type WatchFrame<T> =
  | { readonly type: WatchEventType; readonly version: string; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly version: string }
  | { readonly type: 'ERROR'; readonly error: WatchError };

/** Reads one message; throws AgentError when it is none. `action` names the watch. */
export function parseWatchFrame<T extends ApiObject>(value: unknown, action: string): WatchFrame<T> {
  const { type, object } = asMap(value) ?? {};
  if (type === 'ERROR') {
    const status = toStatus(object) ?? { code: 500, reason: '', message: 'the server ended the watch' };
    return { type, error: toApiError(action, status) };
  }
  const version = asMap(asMap(object)?.['metadata'])?.['resourceVersion'];
  if (typeof version !== 'string' || version === '') throw malformed(action, type);
  if (type === 'BOOKMARK') return { type, version };
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') throw malformed(action, type);
  return { type, version, object: object as T };
}

function malformed(action: string, type: unknown): AgentError {
  return new AgentError('unknown', `cannot ${action}: unexpected message of type ${JSON.stringify(type)}`);
}

function asMap(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
