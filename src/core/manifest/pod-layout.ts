/** Reads the table of the Pod's shape: the fields of each object, in order. dump-pod.ts writes them. */
import { POD_LAYOUT } from './pod-layout-table.ts';

/** A field as the dump writes it and where to find its value. */
export interface LaidOutField {
  /** What stands before the value: `Name:(type)`. */
  readonly label: string;
  readonly type: string;
  /** The field's name in the API; undefined when its own fields stand in the object around it. */
  readonly name: string | undefined;
}

/** Objects read so far: most pods need few of them, and a node without static pods needs none. */
const known = new Map<string, readonly LaidOutField[]>();

/** The fields of the object type `type`, or undefined when it is not an object type. */
export function layoutOf(type: string): readonly LaidOutField[] | undefined {
  const found = known.get(type);
  if (found !== undefined) return found;
  const text = POD_LAYOUT[type];
  if (text === undefined) return undefined;
  const fields = text.trim().split(/\s+/).map(parseField);
  known.set(type, fields);
  return fields;
}

function parseField(text: string): LaidOutField {
  const colon = text.indexOf(':');
  const start = colon < 0 ? text : text.slice(0, colon);
  const type = colon < 0 ? 'string' : text.slice(colon + 1);
  const [own = '', given] = start.split('=', 2);
  const isOpen = own.endsWith('+');
  const field = isOpen ? own.slice(0, -1) : own;
  return {
    label: `${field}:(${withPackage(type)})`,
    type,
    name: isOpen ? undefined : (given ?? toApiName(field)),
  };
}

/** `[]Volume` as `[]core.Volume`. */
function withPackage(type: string): string {
  return type.replace(/(?<![\w.])[A-Z]\w*/g, 'core.$&');
}

/** Lower-cases the capitals at the start, except the one that starts a second word. */
function toApiName(field: string): string {
  const capitals = /^[A-Z]+/.exec(field)?.[0].length ?? 0;
  const small = capitals > 1 && capitals < field.length ? capitals - 1 : capitals;
  return field.slice(0, small).toLowerCase() + field.slice(small);
}
