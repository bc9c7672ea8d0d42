/** Checks the configuration that a reload would leave: fields of the files beside fields that wait for a restart. */
import { AgentError } from '../../base/errors.ts';
import { renderViolation } from '../config/configuration-rule.ts';
import type { LoadedConfiguration, LoadHost } from '../config/load/load-configuration.ts';
import { validateConfiguration } from '../config/validate/validate-configuration.ts';

/** Throws AgentError with every rule that the mixture breaks. */
export function checkTogether(
  { config, features, flags }: LoadedConfiguration,
  { cgroupVersion }: Pick<LoadHost, 'cgroupVersion'>,
): void {
  const context = { gates: features, standalone: flags.kubeconfig === '', cgroupVersion };
  const violations = validateConfiguration(config, context).map(renderViolation);
  if (violations.length === 0) return;
  const why = 'with the settings that wait for a restart the files cannot be used';
  throw new AgentError('invalid-argument', `${why}: ${violations.join('; ')}`);
}
