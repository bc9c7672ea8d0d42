/** Requests of the runtime interface as they went over the wire, read back; for tests and comparisons of kubelets. */
import { decodeCreateContainerRequest, decodeRunPodSandboxRequest } from '../../src/gen/cri.ts';

export interface RecordedRequest {
  readonly pod: string;
  /** Absent for the sandbox itself. */
  readonly container?: string;
  /** Every field, without the id that the runtime gave the sandbox. */
  readonly message: object;
}

/** Length of what gRPC puts before a message. */
const PREFIX_BYTES = 5;

/** Undefined for a call that makes neither a sandbox nor a container. */
export function decodeRecordedRequest(path: string, body: Uint8Array): RecordedRequest | undefined {
  const bytes = body.subarray(PREFIX_BYTES);
  if (path.endsWith('/RunPodSandbox')) {
    const message = decodeRunPodSandboxRequest(bytes);
    return { pod: message.config?.metadata?.name ?? '', message };
  }
  if (!path.endsWith('/CreateContainer')) return undefined;
  const { podSandboxId: _id, ...message } = decodeCreateContainerRequest(bytes);
  const pod = message.sandboxConfig?.metadata?.name ?? '';
  return { pod, container: message.config?.metadata?.name ?? '', message };
}
