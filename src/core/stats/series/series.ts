/**
 * The shape of the tables of `/metrics/cadvisor`: each series says what it is
 * and which values a cgroup has for it. Rendering is done elsewhere.
 */
import type { MeasuredCgroup } from '../cgroup-details.ts';

/** Text such as `device="/dev/sda"`, escaped, that stands after the labels of the cgroup. */
export type LabelText = string;

/** Takes one value of a series. */
export type PutValue = (value: number, labels?: LabelText) => void;

export interface Series {
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  /** False for a setting, which is no measurement of a moment. */
  readonly isTimed: boolean;
  readonly put: (measured: MeasuredCgroup, put: PutValue) => void;
}

/** Undefined when the cgroup has no such value. */
export type ValueOf = (measured: MeasuredCgroup) => number | undefined;

export function gauge(name: string, help: string, value: ValueOf): Series {
  return { name, help, kind: 'gauge', isTimed: true, put: one(value) };
}

export function counter(name: string, help: string, value: ValueOf): Series {
  return { name, help, kind: 'counter', isTimed: true, put: one(value) };
}

export function setting(name: string, help: string, value: ValueOf): Series {
  return { name, help, kind: 'gauge', isTimed: false, put: one(value) };
}

function one(value: ValueOf): Series['put'] {
  return (measured, put) => {
    const found = value(measured);
    if (found !== undefined) put(found);
  };
}

/** One label with its value as the text format wants it. */
export function toLabelText(name: string, value: string): LabelText {
  return `${name}="${/["\\\n]/.test(value) ? escapeLabel(value) : value}"`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
