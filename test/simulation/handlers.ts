/** Random probes and hooks for simulated containers, of every kind and with every outcome. */
import type { Container, LifecycleHandler, Probe } from '../../src/core/api/pod.ts';
import type { ProbeKind } from '../../src/core/model/probe-results.ts';
import type { SeededRandom } from '../fakes/seeded-random.ts';
import { type Purpose, type Script, type ScriptBook, toCommand } from './script-book.ts';

const SCRIPTS: Readonly<Record<Purpose, readonly Script[]>> = {
  liveness: ['steady', 'steady', 'steady', 'fails-20000', 'fails-70000', 'flaky', 'hangs'],
  readiness: ['steady', 'steady', 'late-5000', 'fails-30000', 'flaky', 'hangs'],
  startup: ['steady', 'late-3000', 'late-12000', 'fails-0', 'hangs'],
  postStart: ['steady', 'steady', 'slow-2500', 'slow-2500', 'fails-0', 'hangs'],
  preStop: ['steady', 'slow-1000', 'slow-9000', 'fails-0', 'hangs'],
};

export interface HandlerMaker {
  readonly random: SeededRandom;
  readonly book: ScriptBook;
  readonly uid: string;
  readonly container: string;
}

/** Most containers have none; hooks and probes may come together. */
export function makeHandlers(maker: HandlerMaker): Partial<Container> {
  const { random } = maker;
  const postStart = random.chance(0.07) ? makeHook(maker, 'postStart') : undefined;
  const preStop = random.chance(0.12) ? makeHook(maker, 'preStop') : undefined;
  const lifecycle = { ...(postStart && { postStart }), ...(preStop && { preStop }) };
  return {
    ...(Object.keys(lifecycle).length > 0 ? { lifecycle } : {}),
    ...(random.chance(0.15) ? { livenessProbe: makeProbe(maker, 'liveness') } : {}),
    ...(random.chance(0.15) ? { readinessProbe: makeProbe(maker, 'readiness') } : {}),
    ...(random.chance(0.08) ? { startupProbe: makeProbe(maker, 'startup') } : {}),
  };
}

function makeProbe(maker: HandlerMaker, kind: ProbeKind): Probe {
  const { random } = maker;
  return {
    ...makeProbeHandler(maker, kind),
    periodSeconds: random.pick([2, 5, 10]),
    timeoutSeconds: 1,
    initialDelaySeconds: random.pick([0, 0, 3]),
    failureThreshold: random.pick([1, 3, 3]),
    successThreshold: kind === 'readiness' ? random.pick([1, 2]) : 1,
    ...(kind !== 'readiness' && random.chance(0.3) ? { terminationGracePeriodSeconds: 1 } : {}),
  };
}

function makeProbeHandler(maker: HandlerMaker, kind: ProbeKind): Probe {
  const number = write(maker, kind);
  switch (maker.random.int(4)) {
    case 0:
      return { httpGet: { path: '/', port: number } };
    case 1:
      return { tcpSocket: { port: number } };
    case 2:
      return { grpc: { port: number, service: '' } };
    default:
      return { exec: { command: toCommand(number) } };
  }
}

function makeHook(maker: HandlerMaker, purpose: 'postStart' | 'preStop'): LifecycleHandler {
  const { random } = maker;
  if (random.chance(0.15)) return { sleep: { seconds: random.int(4) } };
  const number = write(maker, purpose);
  return random.chance(0.2)
    ? { httpGet: { path: '/', port: number } }
    : { exec: { command: toCommand(number) } };
}

function write({ random, book, uid, container }: HandlerMaker, purpose: Purpose): number {
  return book.write({ uid, container, purpose, script: random.pick(SCRIPTS[purpose]) });
}
