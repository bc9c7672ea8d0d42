/**
 * The log format of the runtime: `<time> <stream> <tags> <text>`, one entry a
 * line, where the tag P marks a line that goes on in the next entry.
 */

const ENTRY = /^\S+ (?:stdout|stderr) ([^ ]+) (.*)$/s;

/**
 * What the container wrote, from the tail of its log file. A first line that
 * was cut by reading only the tail does not parse and is dropped.
 */
export function parseLogTail(tail: Uint8Array): string {
  const lines = new TextDecoder().decode(tail).split('\n');
  return lines
    .map((line) => ENTRY.exec(line))
    .filter((match) => match !== null)
    .map(([, tags = '', text = '']) => (tags.split(':')[0] === 'P' ? text : `${text}\n`))
    .join('');
}
