/** What a listener serves: where, which routes, and within which limits. */
import type { Kit } from '../../ports/kit.ts';
import type { HttpRequest } from './http-exchange.ts';
import type { ListenerLimits } from './listener-limits.ts';
import type { ListenerTls } from './listener-tls.ts';
import type { Guard } from './reply-finder.ts';
import type { Route } from './route-list.ts';

/** Called for every request that reached a route; the result is called when its reply has ended. */
export type RequestObserver = (request: HttpRequest) => (status: number) => void;

export type ListenerPlace =
  | {
      readonly address: string;
      /** 0 takes a free one. */
      readonly port: number;
    }
  /** A unix socket, for the agent's own user only. */
  | { readonly socketPath: string };

export interface HttpListenerSettings {
  /** For people: which of the agent's ports this is. */
  readonly name: string;
  readonly place: ListenerPlace;
  readonly routes: readonly Route[];
  readonly kit: Pick<Kit, 'clock' | 'logger'>;
  readonly limits?: Partial<ListenerLimits> | undefined;
  /** Plain HTTP without. */
  readonly tls?: ListenerTls;
  /** Without it every request is allowed. */
  readonly guard?: Guard;
  readonly observe?: RequestObserver | undefined;
}
