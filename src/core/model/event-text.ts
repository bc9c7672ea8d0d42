/** What an event says, whatever it is about. Decisions return it; their performers record it. */

export type EventType = 'Normal' | 'Warning';

export interface EventText {
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** For programs that read events. */
  readonly annotations?: Readonly<Record<string, string>>;
}
