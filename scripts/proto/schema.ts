/** What a .proto file says, as far as our schemas need it. */

export interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: string;
  readonly label: 'one' | 'optional' | 'repeated' | 'map';
  /** The name of the oneof it belongs to. */
  readonly oneOf: string | undefined;
}

export interface Message {
  /** Of a nested message: `Outer_Inner`. */
  readonly name: string;
  readonly fields: Field[];
}

export interface Enum {
  readonly name: string;
  readonly values: (readonly [string, number])[];
}

export interface Rpc {
  readonly name: string;
  readonly request: string;
  readonly response: string;
  readonly serverStreaming: boolean;
}

export interface Service {
  readonly name: string;
  readonly rpcs: Rpc[];
}

export interface Schema {
  packageName: string;
  readonly messages: Message[];
  readonly enums: Enum[];
  readonly services: Service[];
}

/** Ends the generation: a construct that is not understood must never become code that looks right. */
export function refuse(message: string): never {
  throw new Error(`cannot generate protobuf code: ${message}`);
}
