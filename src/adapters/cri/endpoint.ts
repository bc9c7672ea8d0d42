/** The address of a runtime: a unix socket, written as `unix:///path` or, deprecated, as a bare path. */
import { AgentError } from '../../base/errors.ts';

export interface Endpoint {
  readonly socketPath: string;
  /** True for a bare path, which earns a warning. */
  readonly deprecated: boolean;
}

/** Parses an endpoint; throws `invalid-argument` for anything that is not a unix socket. */
export function parseEndpoint(text: string): Endpoint {
  const [, scheme = '', path = ''] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/[^/]*)?)?(.*)$/s.exec(text) ?? [];
  if (scheme === 'tcp') throw new AgentError('invalid-argument', 'only support unix socket endpoint');
  if (scheme !== 'unix' && scheme !== '')
    throw new AgentError('invalid-argument', `protocol "${scheme}" not supported`);
  if (!path.startsWith('/'))
    throw new AgentError('invalid-argument', `cannot use endpoint "${text}": it has no absolute socket path`);
  return { socketPath: path, deprecated: scheme === '' };
}
