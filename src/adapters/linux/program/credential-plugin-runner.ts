/**
 * Runs credential plugins as programs of the configured directory, with the
 * agent's environment and what the configuration adds to it.
 */
import { join } from 'node:path';
import type { Clock } from '../../../base/async/clock.ts';
import { AgentError } from '../../../base/errors.ts';
import type { CredentialProvider } from '../../../core/image/credential-provider.ts';
import type { CredentialPlugins } from '../../../ports/runtime/credential-plugins.ts';
import { askProgram } from './ask-program.ts';

const TIMEOUT_MS = 60_000;

export interface CredentialPluginRunnerParts {
  readonly directory: string;
  readonly clock: Clock;
  readonly environment: NodeJS.ProcessEnv;
}

export class CredentialPluginRunner implements CredentialPlugins {
  readonly #parts: CredentialPluginRunnerParts;

  constructor(parts: CredentialPluginRunnerParts) {
    this.#parts = parts;
  }

  async run({ name, args, env }: CredentialProvider, image: string, request: string): Promise<string> {
    const { directory, clock, environment } = this.#parts;
    const added = Object.fromEntries(env.map((variable) => [variable.name, variable.value]));
    const end = await askProgram({
      command: join(directory, name),
      args,
      env: { ...environment, ...added },
      input: request,
      timeoutMs: TIMEOUT_MS,
      clock,
    });
    if (end.kind === 'ended') return end.stdout;
    const what = `error execing credential provider plugin ${name} for image ${image}`;
    throw new AgentError('unavailable', `${what}: ${end.why}: ${end.stderr}`);
  }
}
