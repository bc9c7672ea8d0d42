/** A node shutdown over a fake machine and real desired pods, for its tests. */
import { DesiredPods } from '../../src/agent/desired/desired-pods.ts';
import { NodeState } from '../../src/agent/node/node-state.ts';
import { StatusBoard } from '../../src/agent/pod/status-board.ts';
import { NodeShutdown } from '../../src/agent/shutdown/node-shutdown.ts';
import { ShutdownRecord } from '../../src/agent/shutdown/shutdown-record.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import { toPodUid } from '../../src/core/model/ids.ts';
import { SHUTDOWN_REFUSAL } from '../../src/core/node/admit-pod.ts';
import { samplePod } from '../samples/sample-pod.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeHostShutdown } from './fake-host-shutdown.ts';
import { RecordingEvents } from './recording-events.ts';
import { RecordingLogger } from './recording-logger.ts';

export const SHUTDOWN_STATE_PATH = '/root/graceful_node_shutdown_state';
const PERIODS = [
  { priority: 0, seconds: 20 },
  { priority: 2_000_000_000, seconds: 10 },
];

export const API_PODS = [toPod('usual', 0), toPod('critical', 2_000_001_000)];
export const FILE_PODS = [toPod('static', 0)];

export function toPod(name: string, priority: number): Pod {
  return samplePod({ priority, terminationGracePeriodSeconds: 30 }, { name, uid: name });
}

/** An agent that has seen a usual and a critical pod of the API, and a static one. */
export function setUpShutdown(host = new FakeHostShutdown(), saved?: string) {
  const all = startShutdown(host, saved);
  all.desired.deliver('api', API_PODS);
  all.desired.deliver('file', FILE_PODS);
  return all;
}

/** An agent that has seen no source of pods yet. */
export function startShutdown(host = new FakeHostShutdown(), saved?: string) {
  const [clock, logger, events] = [new FakeClock(), new RecordingLogger(), new RecordingEvents()];
  const kit = { clock, logger, events, random: () => 0 };
  const board = new StatusBoard();
  const state = new NodeState();
  const desired = new DesiredPods({
    clock,
    events,
    sources: ['api', 'file'],
    hasEnded: (uid) => board.hasEnded(uid),
    admit: () => (state.get('shutdown') ? { ok: false, ...SHUTDOWN_REFUSAL } : { ok: true, victims: [] }),
  });
  const files = new Map<string, string>(saved === undefined ? [] : [[SHUTDOWN_STATE_PATH, saved]]);
  const held = new Set<string>();
  const world = { unreported: Promise.resolve() };
  const shutdown = new NodeShutdown({
    kit,
    host,
    pods: {
      desired,
      board,
      volumes: { holds: (uid) => held.has(uid) },
      whenReported: () => world.unreported,
    },
    state,
    record: new ShutdownRecord({
      kit,
      path: SHUTDOWN_STATE_PATH,
      files: {
        readFile: async (path) => files.get(path),
        writeFile: async (path, content) => void files.set(path, content),
      },
    }),
    settings: { periods: PERIODS, keepsTimes: true },
  });
  const stop = new AbortController();
  const start = async (): Promise<Promise<void>> => {
    await shutdown.load();
    return shutdown.run(stop.signal);
  };
  const end = (name: string): void => {
    const record = desired.records.get(toPodUid(name));
    if (record === undefined) throw new Error(`no pod "${name}"`);
    board.publish(record.uid, { pod: record.pod, status: { phase: 'Failed' }, mayRun: false });
  };
  /** Who ends, in the order in which they were asked to. */
  const ending: string[] = [];
  desired.records.subscribe((uid, record) => {
    if (record?.termination !== undefined && !ending.includes(uid)) ending.push(uid);
  });
  const nodeEvents = (): string[] => events.nodeEvents.map(({ reason, message }) => `${reason}: ${message}`);
  return {
    ...{ clock, logger, host, desired, files, held, world, state, shutdown, stop, start, end, ending },
    nodeEvents,
  };
}
