/**
 * Warnings about settings that are accepted but have no (full) effect: fields and flags this agent does not
 * act on yet, values it leaves out, weak ciphers. Last step of loading; never refuses.
 */
import { isIP } from 'node:net';
import { CONFIG_PATHS } from '../config-fields.ts';
import { HONOURED_FIELDS, HONOURED_FLAGS } from '../honoured-fields.ts';
import type { ConfigPath, KubeletConfiguration } from '../kubelet-configuration.ts';
import { PROCESS_FLAGS, type ProcessFlags } from '../process-flags.ts';
import { INSECURE_CIPHER_SUITES } from '../tls-names.ts';
import { parseNodeIPs } from '../validate/validate-flags.ts';
import type { LoadFindings } from './load-findings.ts';

/** What is spoken, and the default of upstream, which means the same. */
const API_CONTENT_TYPES = ['application/json', 'application/vnd.kubernetes.protobuf'];

/** One warning that lists every field and flag that was set and is not acted on. */
export function warnAboutUnhonoured(
  set: readonly ConfigPath[],
  givenFlags: readonly string[],
  findings: LoadFindings,
  honoured = { fields: HONOURED_FIELDS, flags: HONOURED_FLAGS },
): void {
  const fields = CONFIG_PATHS.filter((path) => set.includes(path) && !honoured.fields.has(path));
  const flags = (Object.keys(PROCESS_FLAGS) as (keyof ProcessFlags)[])
    .filter((key) => givenFlags.includes(PROCESS_FLAGS[key].flag) && !honoured.flags.has(key))
    .map((key) => `--${PROCESS_FLAGS[key].flag}`);
  const names = [...fields, ...flags];
  if (names.length === 0) return;
  findings.notice('not-honoured', `these settings are accepted but have no effect yet: ${names.join(', ')}`);
}

export function warnAboutIgnoredValues(
  config: KubeletConfiguration,
  flags: ProcessFlags,
  findings: LoadFindings,
): void {
  const { kubeletCgroups, kubeReservedCgroup } = config;
  const isOutside = kubeletCgroups !== '' && !kubeletCgroups.startsWith(kubeReservedCgroup);
  if (isOutside && kubeReservedCgroup !== '')
    findings.notice(
      'ignored-value',
      'unsupported configuration:KubeletCgroups is not within KubeReservedCgroup',
    );
  for (const item of parseNodeIPs(flags.nodeIP).ignored) {
    findings.notice('ignored-value', `ignoring ${JSON.stringify(item)} in --node-ip: not an IP address`);
  }
  for (const server of config.clusterDNS.filter((address) => isIP(address) === 0)) {
    findings.notice('ignored-value', `ignoring ${JSON.stringify(server)} in clusterDNS: not an IP address`);
  }
  if (!API_CONTENT_TYPES.includes(config.contentType)) {
    const type = JSON.stringify(config.contentType);
    findings.notice('ignored-value', `ignoring ${type} in contentType: calls of the API server are in JSON`);
  }
  for (const suite of config.tlsCipherSuites.filter((name) => INSECURE_CIPHER_SUITES.has(name))) {
    findings.notice('ignored-value', `tlsCipherSuites has the insecure cipher suite ${suite}`);
  }
}
