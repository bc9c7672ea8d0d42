/**
 * Names that become one component of a path on the host. What builds a path
 * from a name that it did not choose itself passes it through here: a name
 * that leads elsewhere is refused, even if no caller checked it before.
 */
import { AgentError } from '../../base/errors.ts';
import { quote } from '../../base/text/quote.ts';

/** True when the text names something directly inside a directory; whether it is too long is the kernel's to say. */
export function isPathComponent(text: string): boolean {
  if (text === '' || text === '.' || text === '..') return false;
  return !text.includes('/') && !text.includes('\0');
}

/** The same text; throws AgentError when it is none. */
export function toPathComponent(text: string): string {
  if (!isPathComponent(text))
    throw new AgentError('invalid-argument', `cannot use ${quote(text)} as the name of a file`);
  return text;
}

/** A place below the directory; throws AgentError unless every component of `path` names one thing in the one before. */
export function joinInside(directory: string, path: string): string {
  return `${directory}/${path.split('/').map(toPathComponent).join('/')}`;
}
