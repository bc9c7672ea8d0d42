/** Loggers of the simulated agent: into the story of the seed when one is replayed, else nowhere. */
import { errorText } from '../../src/base/errors.ts';
import type { LineLevel, LogFields, Logger } from '../../src/base/log.ts';
import type { World } from './world.ts';

export const silentLogger: Logger = {
  info: () => {},
  warn: () => {},
  error: () => {},
  debug: () => {},
  with: () => silentLogger,
};

export class TraceLogger implements Logger {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  info(message: string, fields?: LogFields): void {
    this.#world.say(`  agent ${this.#world.lives}: ${message} ${JSON.stringify(fields ?? {})}`);
  }

  warn(message: string, fields?: LogFields): void {
    this.info(`WARNING ${message}`, fields);
  }

  error(message: string, error: unknown, fields?: LogFields): void {
    this.info(`ERROR ${message}`, { ...fields, err: errorText(error) });
  }

  debug(_level: LineLevel, message: string, fields?: LogFields): void {
    this.info(message, fields);
  }

  with(): Logger {
    return this;
  }
}
