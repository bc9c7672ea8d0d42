import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import type { IpFamily } from '../../core/node/iptables-chains.ts';
import { keepIptablesChains } from './keep-iptables-chains.ts';

/** Tables that a test flushes; counts the programs that a real one would start. */
class FakeTables {
  readonly family: IpFamily;
  supported = true;
  failure: Error | undefined;
  readonly canaries = new Set<string>();
  made = 0;
  looks = 0;

  constructor(family: IpFamily) {
    this.family = family;
  }

  async isSupported(): Promise<boolean> {
    return this.supported;
  }

  async hasChain(table: string): Promise<boolean> {
    this.looks++;
    return this.canaries.has(table);
  }

  async makeChains(): Promise<void> {
    this.made++;
    if (this.failure !== undefined) throw this.failure;
    for (const table of ['mangle', 'nat', 'filter']) this.canaries.add(table);
  }
}

async function withLoop(
  families: FakeTables[],
  body: (clock: FakeClock, lines: readonly { readonly message: string }[]) => Promise<void>,
): Promise<void> {
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const { lines } = logger;
  const stop = new AbortController();
  const running = keepIptablesChains({ clock, logger, families }, stop.signal);
  await clock.advance(0);
  try {
    await body(clock, lines);
  } finally {
    stop.abort();
    await running;
    assert.equal(clock.pendingTimers, 0);
  }
}

describe('keepIptablesChains', () => {
  it('makes the chains of each family, and then looks once a minute', () => {
    const families = [new FakeTables('IPv4'), new FakeTables('IPv6')];
    return withLoop(families, async (clock) => {
      await clock.advance(10 * 60_000);
      assert.deepEqual(
        families.map(({ made, looks }) => [made, looks]),
        [
          [1, 10],
          [1, 10],
        ],
      );
    });
  });

  it('makes them again when the tables were flushed, but not in the middle of it', () => {
    const tables = new FakeTables('IPv4');
    return withLoop([tables], async (clock) => {
      tables.canaries.delete('mangle');
      await clock.advance(60_000);
      tables.canaries.delete('nat');
      await clock.advance(500);
      assert.equal(tables.made, 1);
      tables.canaries.delete('filter');
      await clock.advance(100);
      assert.equal(tables.made, 2);
    });
  });

  it('waits no longer than 5 s for tables that keep their canary', () => {
    const tables = new FakeTables('IPv4');
    return withLoop([tables], async (clock) => {
      tables.canaries.delete('mangle');
      await clock.advance(64_000);
      assert.equal(tables.made, 1);
      await clock.advance(1_100);
      assert.equal(tables.made, 2);
    });
  });

  it('warns once where it is refused, and tries again', () => {
    const tables = new FakeTables('IPv4');
    tables.failure = new Error('Permission denied');
    return withLoop([tables], async (clock, lines) => {
      await clock.advance(120_000);
      assert.equal(tables.made, 3);
      assert.equal(lines.filter(({ message }) => /cannot make the iptables chains/.test(message)).length, 1);
      tables.failure = undefined;
      await clock.advance(60_000);
      assert.equal(tables.canaries.size, 3);
    });
  });

  it('leaves a family alone that the machine does not have, and ends where it has none', async () => {
    const families = [new FakeTables('IPv4'), new FakeTables('IPv6')];
    for (const tables of families) tables.supported = false;
    const clock = new FakeClock();
    const logger = new RecordingLogger();
    const { lines } = logger;
    await keepIptablesChains({ clock, logger, families }, new AbortController().signal);
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['No iptables support on this system; not creating the KUBE-IPTABLES-HINT chain'],
    );
  });
});
