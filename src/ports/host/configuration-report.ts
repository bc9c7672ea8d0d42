/** How the configuration in force differs from that of the files, for people who look before they reload. */

export interface ConfigurationDifference {
  /** The field, such as `logging.verbosity`. */
  readonly field: string;
  /** As JSON; secrets are masked. Undefined where there is none. */
  readonly running: unknown;
  readonly inFiles: unknown;
  readonly takes: 'reload' | 'restart';
  /** Why a field that can otherwise be reloaded needs a restart this time. */
  readonly because?: string | undefined;
}

export interface ConfigurationReport {
  /** The file and the directory that were read; empty when there are none. */
  readonly sources: readonly string[];
  /** Why the files cannot be used; the running configuration stays. */
  readonly problems: readonly string[];
  readonly differences: readonly ConfigurationDifference[];
}

export interface ConfigurationReporter {
  /** Reads the files again; changes nothing. */
  report(): Promise<ConfigurationReport>;
}
