/**
 * Env files (`fileKeyRef`): lines of `NAME='value'`, where the value may span
 * lines. Reading stops at the wanted key, so what follows it is not judged.
 */
import { accept, type Outcome, refuse } from '../../base/outcome.ts';

/** A line with its end. */
const MAX_LINE = 64 * 1024;

/** The value of `key`, undefined when the file does not have it; refused when it cannot be understood. */
export function findInEnvFile(text: string, key: string): Outcome<string | undefined> {
  let position = 0;
  while (position < text.length) {
    const entry = readEntry(text, position);
    if (entry === undefined) return refuse("couldn't parse env file");
    if (entry.name === key) return accept(entry.value);
    position = entry.end;
  }
  return accept(undefined);
}

interface Entry {
  /** Undefined for a line that sets nothing. */
  readonly name?: string;
  readonly value: string;
  /** Where the next entry starts. */
  readonly end: number;
}

function readEntry(text: string, start: number): Entry | undefined {
  const end = lineEnd(text, start);
  if (end - start >= MAX_LINE) return undefined;
  const indented = text.slice(start, end).replace(/\r$/, '');
  const line = indented.replace(/^[ \t]+/, '');
  if (line === '' || line.startsWith('#')) return { value: '', end: end + 1 };
  const equals = line.indexOf('=');
  const name = line.slice(0, equals);
  if (equals <= 0 || /\s/.test(name)) return undefined;
  const rest = line.slice(equals + 1);
  if (rest === '' || /^\s/.test(rest)) return { name, value: '', end: end + 1 };
  if (!rest.startsWith("'")) return undefined;
  return readQuoted(text, name, start + (indented.length - line.length) + equals + 2);
}

function readQuoted(text: string, name: string, start: number): Entry | undefined {
  const close = text.indexOf("'", start);
  if (close < 0) return undefined;
  const value = text.slice(start, close);
  if (value.split('\n').some((line) => line.length >= MAX_LINE)) return undefined;
  const end = lineEnd(text, close);
  if (!/^ *(#.*)?\r?$/.test(text.slice(close + 1, end))) return undefined;
  return { name, value, end: end + 1 };
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}
