/**
 * The packet filter of one IP family, through the program that the host has
 * under the name `iptables` or `ip6tables`, be it of nft or legacy tables.
 */
import {
  FIREWALL_CHAIN,
  FIREWALL_RULES,
  type FilterRule,
  type IpFamily,
  type IptablesTable,
  renderChains,
} from '../../../core/node/iptables-chains.ts';
import { ProgramExit, runProgram } from '../program/run-program.ts';

/** How long a program waits for another one that changes the tables. */
const WAIT = ['-w', '5'];
/** The program could not look, such as for the lock of another one. */
const NO_RESOURCES = 4;
/** What was looked for is not there. */
const ABSENT = 1;

const PROGRAMS: Readonly<Record<IpFamily, readonly [program: string, restore: string]>> = {
  IPv4: ['iptables', 'iptables-restore'],
  IPv6: ['ip6tables', 'ip6tables-restore'],
};

export class Iptables {
  readonly family: IpFamily;
  readonly #program: string;
  readonly #restore: string;

  constructor(family: IpFamily) {
    this.family = family;
    [this.#program, this.#restore] = PROGRAMS[family];
  }

  /** Whether program and kernel have tables of this family. */
  async isSupported(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#run(['-S', 'POSTROUTING', '-t', 'nat'], 'POSTROUTING', signal);
      return true;
    } catch {
      return false;
    }
  }

  /** True also where the program could not look: only what is known to be gone is. */
  async hasChain(table: IptablesTable, chain: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#run(['-S', chain, '-t', table], chain, signal);
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      const status = statusOf(error);
      return status === NO_RESOURCES || status === undefined;
    }
  }

  /** Makes what is missing, each table in one step. Rejects with AgentError. */
  async makeChains(signal: AbortSignal): Promise<void> {
    const input = renderChains(
      this.family === 'IPv4' ? await this.#findMissing(signal) : { chain: false, rules: [] },
    );
    await runProgram(this.#restore, [...WAIT, '--noflush'], 'change the tables of', this.family, {
      input,
      signal,
    });
  }

  async #findMissing(signal: AbortSignal): Promise<{ chain: boolean; rules: FilterRule[] }> {
    if (!(await this.hasChain('filter', FIREWALL_CHAIN, signal))) {
      return { chain: true, rules: [...FIREWALL_RULES] };
    }
    const rules: FilterRule[] = [];
    for (const rule of FIREWALL_RULES) if (!(await this.#hasRule(rule, signal))) rules.push(rule);
    return { chain: false, rules };
  }

  async #hasRule({ chain, words }: FilterRule, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#run(['-C', chain, '-t', 'filter', ...words], chain, signal);
      return true;
    } catch (error) {
      if (statusOf(error) === ABSENT) return false;
      throw error;
    }
  }

  #run(args: readonly string[], target: string, signal: AbortSignal): Promise<string> {
    return runProgram(this.#program, [...WAIT, ...args], 'look at chain', target, { signal });
  }
}

/** Undefined where the program did not end by itself. */
function statusOf(error: unknown): number | undefined {
  const { cause } = error as Error;
  return cause instanceof ProgramExit ? cause.status : undefined;
}
