/**
 * Requests of probes and the reading of their results: the command with its
 * variables, the verdict on an HTTP status, and the exact text of events.
 * Nothing is sent here.
 */

import { expand } from '../../base/text/expand.ts';
import { renderGoDuration } from '../../base/text/go-duration.ts';
import type { Container, Probe } from '../api/pod.ts';
import type { ProbeKind } from '../model/probe-results.ts';
import type { Measurement } from './probe-state.ts';

export const PROBE_USER_AGENT = 'kube-probe/1.36';
export const HOOK_USER_AGENT = 'kube-lifecycle/1.36';

const MAX_OUTPUT_BYTES = 10 * 1024;

/** What one run of a probe found; a warning counts as success but is worth an event. */
export interface ProbeReport {
  readonly outcome: Measurement | 'warning';
  readonly output: string;
}

/** Only variables with a literal value are known; references to others stay as they are. */
export function toProbeCommand(command: readonly string[], container: Container): string[] {
  const literal = new Map(
    (container.env ?? [])
      .filter(({ valueFrom }) => valueFrom === undefined)
      .map(({ name, value = '' }) => [name, value]),
  );
  return command.map((word) => expand(word, (name) => literal.get(name)));
}

export function toExecReport(run: {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}): ProbeReport {
  return { outcome: run.exitCode === 0 ? 'success' : 'failure', output: toOutputText(run) };
}

/** Standard output, then standard error, cut to what an event can carry. */
export function toOutputText(run: { readonly stdout: Uint8Array; readonly stderr: Uint8Array }): string {
  const whole = new Uint8Array(run.stdout.length + run.stderr.length);
  whole.set(run.stdout);
  whole.set(run.stderr, run.stdout.length);
  return new TextDecoder().decode(whole.subarray(0, MAX_OUTPUT_BYTES));
}

export function renderCommandTimeout(command: readonly string[], timeoutMs: number): string {
  return `command timed out: "${command.join(' ')}" timed out after ${renderGoDuration(timeoutMs)}`;
}

/** A redirect that was not followed, because it leads elsewhere, is a success with a warning. */
export function toHttpReport(status: number, body: string): ProbeReport {
  if (status < 200 || status >= 400)
    return { outcome: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
  if (status < 300) return { outcome: 'success', output: body };
  return { outcome: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
}

/** The event for a run; undefined for a plain success. */
export function toProbeEvent(
  kind: ProbeKind,
  { outcome, output }: ProbeReport,
): { readonly reason: string; readonly message: string } | undefined {
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  switch (outcome) {
    case 'success':
      return undefined;
    case 'warning':
      return { reason: 'ProbeWarning', message: `${title} probe warning: ${output}` };
    case 'failure':
      return { reason: 'Unhealthy', message: `${title} probe failed: ${output}` };
    case 'error':
      return {
        reason: 'Unhealthy',
        message: `${title} probe errored and resulted in unknown state: ${output}`,
      };
  }
}

/** The probes a container has. */
export function probesOf(container: Container): (readonly [ProbeKind, Probe])[] {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  const all = [
    ['startup', startupProbe],
    ['liveness', livenessProbe],
    ['readiness', readinessProbe],
  ] as const;
  return all.flatMap(([kind, probe]) => (probe === undefined ? [] : [[kind, probe] as const]));
}
