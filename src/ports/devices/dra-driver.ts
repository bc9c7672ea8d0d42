/** Drivers of dynamic resources: programs that make the devices of a claim ready for containers. */
import type { DeviceHealthReport } from '../../core/claims/claim-health.ts';
import type { PreparedDevice } from '../../core/claims/claim-info.ts';

export interface ClaimRef {
  readonly namespace: string;
  readonly uid: string;
  readonly name: string;
}

/** The service of a driver that is called. */
export type DraService = 'v1.DRAPlugin' | 'v1beta1.DRAPlugin';

export interface PreparedClaim {
  readonly devices: readonly PreparedDevice[];
  /** Empty when it was prepared. */
  readonly error: string;
}

/** Calls reject with AgentError and have a limit in time; each may be repeated. */
export interface DraDriver {
  /** By the UID of the claim; what the driver answers may be anything. */
  prepare(claims: readonly ClaimRef[], signal?: AbortSignal): Promise<ReadonlyMap<string, PreparedClaim>>;
  /** By the UID of the claim: what went wrong, or empty text. */
  unprepare(claims: readonly ClaimRef[], signal?: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** Calls `onReports` with all devices at every change; `unimplemented` when the driver reports nothing. */
  watchHealth(
    onReports: (reports: readonly DeviceHealthReport[]) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Makes the connection when there is none; rejects with AgentError when the driver does not answer. */
  reach(): Promise<void>;
  /** Ends every call. Never rejects. */
  close(): Promise<void>;
}

export interface DraConnector {
  /** Nothing is sent before the first call or `reach`; `onConnection` follows each change of the connection. */
  connect(
    driver: string,
    endpoint: string,
    service: DraService,
    onConnection: (isConnected: boolean) => void,
  ): DraDriver;
}
