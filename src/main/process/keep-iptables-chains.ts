/**
 * Keeps the iptables chains that other programs look for (`makeIPTablesUtilChains`).
 * They are made at the start; once a minute one program per IP family looks whether
 * the tables were flushed, and they are made again.
 */
import { Iptables } from '../../adapters/linux/machine/iptables.ts';
import { type Clock, sleep } from '../../base/async/clock.ts';
import type { Logger } from '../../base/log.ts';
import { CANARY_CHAIN, CANARY_TABLES } from '../../core/node/iptables-chains.ts';

const PERIOD_MS = 60_000;
/** A flush goes table by table; chains that were made in its middle would go with it. */
const FLUSH_LOOK_MS = 100;
const FLUSH_LIMIT_MS = 5_000;

export interface IptablesLoop {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly families?: readonly Pick<Iptables, 'family' | 'isSupported' | 'hasChain' | 'makeChains'>[];
}

type Family = NonNullable<IptablesLoop['families']>[number];

/** Runs until `stop` aborts, or at once where the machine has no such tables. Never rejects. */
export async function keepIptablesChains(parts: IptablesLoop, stop: AbortSignal): Promise<void> {
  const { clock, logger, families = [new Iptables('IPv4'), new Iptables('IPv6')] } = parts;
  const found: Family[] = [];
  for (const family of families) if (await family.isSupported(stop)) found.push(family);
  if (stop.aborted) return;
  if (found.length === 0) {
    logger.info('No iptables support on this system; not creating the KUBE-IPTABLES-HINT chain');
    return;
  }
  const missing = new Set<Family>(found);
  const refused = new Set<Family>();
  while (!stop.aborted) {
    for (const family of missing) {
      if (await makeChains(family, refused, logger, stop)) missing.delete(family);
    }
    await sleep(clock, PERIOD_MS, stop);
    for (const family of found) {
      if (missing.has(family) || stop.aborted || (await hasCanary(family, 0, stop))) continue;
      logger.info('iptables were flushed, making the chains again', { protocol: family.family });
      await waitForFlush(family, clock, stop);
      missing.add(family);
    }
  }
}

/** Whether it was done; the first refusal is logged. */
async function makeChains(
  family: Family,
  refused: Set<Family>,
  logger: Logger,
  stop: AbortSignal,
): Promise<boolean> {
  const protocol = family.family;
  try {
    await family.makeChains(stop);
    refused.delete(family);
    logger.debug({ file: 'keep-iptables-chains', level: 2 }, 'iptables chains are there', { protocol });
    return true;
  } catch (error) {
    if (stop.aborted) return false;
    if (!refused.has(family))
      logger.warn('cannot make the iptables chains, trying again every minute', { protocol, err: error });
    refused.add(family);
    return false;
  }
}

async function waitForFlush(family: Family, clock: Clock, stop: AbortSignal): Promise<void> {
  const limitMs = clock.steady() + FLUSH_LIMIT_MS;
  for (let at = 1; at < CANARY_TABLES.length; at++) {
    while (clock.steady() < limitMs && !stop.aborted && (await hasCanary(family, at, stop))) {
      await sleep(clock, FLUSH_LOOK_MS, stop);
    }
  }
}

function hasCanary(family: Family, at: number, stop: AbortSignal): Promise<boolean> {
  return family.hasChain(CANARY_TABLES[at] ?? 'mangle', CANARY_CHAIN, stop);
}
