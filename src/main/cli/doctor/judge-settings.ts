/** What was configured: the file itself, certificates, and places it names. Pure. */
import { renderHumanDuration } from '../../../base/text/human-duration.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export interface ConfigurationFacts {
  /** Where the settings come from, for people. */
  readonly from: string;
  /** Why a kubelet would not start with them. */
  readonly problems: readonly string[];
  /** What it would log. */
  readonly warnings: readonly string[];
}

export function judgeConfiguration({ from, problems, warnings }: ConfigurationFacts): Finding[] {
  const subject = 'configuration';
  const mend = `correct ${from}; the rest was looked at with defaults`;
  if (problems.length > 0) return problems.map((text) => problem(subject, text, mend));
  return [
    ok(subject, `${from} can be used`),
    ...warnings.map((text) => warning(subject, text, 'see docs/parity.md, or remove the setting')),
  ];
}

export type FoundCertificate =
  | {
      readonly name: string;
      readonly path: string;
      readonly notBeforeMs: number;
      readonly notAfterMs: number;
      /** The kubelet asks for a new one in time. */
      readonly rotates: boolean;
    }
  | { readonly name: string; readonly path: string; readonly problem: string };

const SOON_MS = 30 * 24 * 3_600_000;

export function judgeCertificate(facts: FoundCertificate, nowMs: number): Finding {
  const { name, path } = facts;
  const subject = name;
  if ('problem' in facts)
    return problem(
      subject,
      facts.problem,
      `put a certificate into ${path}, or correct the setting that names it`,
    );
  const { notBeforeMs, notAfterMs, rotates } = facts;
  const renew = rotates
    ? 'start the kubelet with --bootstrap-kubeconfig, or copy a new one (kubeadm: kubeadm token create, then join again)'
    : 'copy a new one (kubeadm: kubeadm certs renew)';
  if (nowMs > notAfterMs)
    return problem(subject, `${path} ended ${renderHumanDuration(nowMs - notAfterMs)} ago`, renew);
  if (nowMs < notBeforeMs)
    return problem(
      subject,
      `${path} begins in ${renderHumanDuration(notBeforeMs - nowMs)}: the clock of this machine is behind, or that of its signer ahead`,
      'set the clock (timedatectl set-ntp true)',
    );
  const left = renderHumanDuration(notAfterMs - nowMs);
  if (!rotates && notAfterMs - nowMs < SOON_MS) return warning(subject, `${path} ends in ${left}`, renew);
  return ok(subject, `${path} is valid for ${left}${rotates ? ' and renewed by the kubelet' : ''}`);
}

export interface NamedPlace {
  readonly name: string;
  readonly path: string;
  readonly isThere: boolean;
  readonly mend: string;
}

export function judgePlace({ name, path, isThere, mend }: NamedPlace): Finding {
  return isThere ? ok(name, path) : warning(name, `${path} does not exist`, mend);
}
