/** The adapter on a real message bus, with a real systemd-inhibit that holds the lock; logind and systemd are fakes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { SystemClock } from '../../src/adapters/linux/machine/system-clock.ts';
import { LogindShutdown } from '../../src/adapters/systemd/logind-shutdown.ts';
import { whenAborted } from '../../src/base/async/when-aborted.ts';
import type { HostShutdownLink } from '../../src/ports/host/host-shutdown.ts';
import { FakeSystemd } from './fake-systemd.ts';

const { signal } = new AbortController();
const LOCKED = 'locked Kubelet needs time to handle node shutdown';

function listen(link: HostShutdownLink): { heard: boolean[]; whenHeard: (count: number) => Promise<void> } {
  const heard: boolean[] = [];
  let wake = (): void => {};
  link.subscribe((isPending) => {
    heard.push(isPending);
    wake();
  });
  const whenHeard = async (count: number): Promise<void> => {
    while (heard.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  };
  return { heard, whenHeard };
}

describe('LogindShutdown on a message bus', { timeout: 120_000 }, () => {
  let machine: FakeSystemd;
  let host: LogindShutdown;

  beforeEach(async () => {
    machine = new FakeSystemd();
    await machine.start();
    host = new LogindShutdown({ clock: new SystemClock(), bus: machine.bus, overridePath: machine.override });
  });
  afterEach(() => machine[Symbol.asyncDispose]());

  it('has a longer delay taken over by logind', async () => {
    using link = await host.connect(signal);
    assert.equal(await link.readDelayMs(signal), 5_000);
    await link.raiseDelay(30, signal);
    assert.equal(
      readFileSync(machine.override, 'utf8'),
      '# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=30\n',
    );
    assert.equal(await link.readDelayMs(signal), 30_000);
    assert.ok(machine.lines.includes('kill systemd-logind.service all 1'));
  });

  it('takes one lock that outlives the connection, finds it again and releases it', async () => {
    {
      using link = await host.connect(signal);
      await link.takeLock(signal);
      await link.takeLock(signal);
    }
    using link = await host.connect(signal);
    await link.takeLock(signal);
    assert.deepEqual(
      machine.lines.filter((line) => line === LOCKED || line.startsWith('start')),
      ['start kubelet-shutdown-lock.service always 1000000', LOCKED],
    );
    assert.equal(machine.lines.includes('released'), false);
    await link.releaseLock(signal);
    await machine.saw('released');
    await link.releaseLock(signal);
    await link.takeLock(signal);
    await machine.saw(LOCKED, 2);
  });

  it('notices a shutdown and its end, and believes only logind', async () => {
    using link = await host.connect(signal);
    const { heard, whenHeard } = listen(link);
    const next = (command: string): Promise<void> => {
      machine.command(command);
      return whenHeard(heard.length + 1);
    };
    assert.equal(await link.isPending(signal), false);
    await next('forge');
    assert.deepEqual(heard, [false]);
    await next('prepare true');
    assert.deepEqual(heard, [false, true]);
    assert.equal(await link.isPending(signal), true);
    await next('prepare false');
    assert.deepEqual(heard, [false, true, false]);
    machine.command('stopping');
    await machine.saw('did stopping');
    assert.equal(await link.isPending(signal), true);
  });

  it('reports what logind said last, also when an earlier answer of systemd was slow', async () => {
    using link = await host.connect(signal);
    const { heard, whenHeard } = listen(link);
    machine.command('hold');
    await machine.saw('did hold');
    machine.command('forge');
    await machine.saw('held');
    machine.command('prepare true');
    await machine.saw('did prepare');
    // Over the same connection: what the signal started has been answered as well.
    for (let i = 0; i < 3; i++) await link.readDelayMs(signal);
    machine.command('go');
    await whenHeard(2);
    assert.deepEqual(heard, [false, true]);
  });

  it('does not look for signals that logind did not send', async () => {
    using link = await host.connect(signal);
    const { heard, whenHeard } = listen(link);
    machine.command('stranger');
    await machine.saw('did stranger');
    for (let i = 0; i < 3; i++) await link.readDelayMs(signal);
    machine.command('prepare true');
    await whenHeard(1);
    assert.deepEqual(heard, [true]);
  });

  it('loses the connection to a message that is too long, and can make another', async () => {
    using link = await host.connect(signal);
    machine.command('long');
    await whenAborted(link.lost);
    using next = await host.connect(signal);
    assert.equal(await next.isPending(signal), false);
  });

  it('notices the end of the bus, and says why there is no connection', async () => {
    using link = await host.connect(signal);
    machine.endBus();
    await whenAborted(link.lost);
    await assert.rejects(
      link.isPending(signal),
      /^AgentError: cannot call "Get" of org.freedesktop.login1: /,
    );
    await assert.rejects(host.connect(signal), /^AgentError: cannot connect to the message bus at "/);
  });
});
