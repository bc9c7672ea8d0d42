/**
 * How many bytes of answers one pod of an API server costs, of the runtime and
 * of the API server: the same with other pods beside it as without. A list of
 * all pods where one would do, or one status too many, shows here.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CriClient } from '../../src/adapters/cri/cri-client.ts';
import { CriContainerRuntime } from '../../src/adapters/cri/cri-container-runtime.ts';
import { CriImageService } from '../../src/adapters/cri/cri-image-service.ts';
import { CriRuntimeReader } from '../../src/adapters/cri/cri-runtime-reader.ts';
import { ListCaller } from '../../src/adapters/cri/list-caller.ts';
import { ApiPodSource } from '../../src/adapters/kube/watch/api-pod-source.ts';
import type { AgentPorts } from '../../src/agent/agent-ports.ts';
import { ApiEventRecorder } from '../../src/agent/events/api-event-recorder.ts';
import { NodeVolumes } from '../../src/agent/node/node-volumes.ts';
import { OwnNode } from '../../src/agent/node/own-node.ts';
import type { Pod } from '../../src/core/api/pod.ts';
import { defaultPod } from '../../src/core/manifest/default-pod.ts';
import { PODS } from '../../src/ports/cluster/api-resource.ts';
import type { ApiServer } from '../../src/ports/cluster/api-server.ts';
import { toCollection } from '../fakes/fake-api-path.ts';
import { MemoryApiServer } from '../fakes/memory-api-server.ts';
import { ModelChannel } from '../fakes/model-channel.ts';
import { World } from './world.ts';

const NODE = 'node-1';
const OTHERS = 20;

function toPod(name: string): Pod {
  return defaultPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'sim', uid: `${name}-uid`, labels: { app: name } },
    spec: {
      nodeName: NODE,
      containers: [{ name: 'main', image: 'localhost/busybox:1', imagePullPolicy: 'IfNotPresent' }],
      terminationGracePeriodSeconds: 1,
      enableServiceLinks: false,
    },
  });
}

/** Counts what it answers, as JSON. */
class CountedApi implements Pick<ApiServer, 'get' | 'list' | 'create' | 'patch' | 'delete' | 'follow'> {
  receivedBytes = 0;
  statusWrites = 0;
  readonly #server: MemoryApiServer;

  constructor(server: MemoryApiServer) {
    this.#server = server;
  }

  readonly get: ApiServer['get'] = async (...args) => this.#count(await this.#server.get(...args));
  readonly list: ApiServer['list'] = async (...args) => this.#count(await this.#server.list(...args));
  readonly create: ApiServer['create'] = async (...args) => this.#count(await this.#server.create(...args));
  readonly patch: ApiServer['patch'] = async (...args) => {
    if (args[0].resource === PODS) this.statusWrites++;
    return this.#count(await this.#server.patch(...args));
  };
  readonly delete: ApiServer['delete'] = (...args) => this.#server.delete(...args);
  readonly follow: ApiServer['follow'] = (query) => {
    const list = this.#server.follow<never>(query);
    return {
      health: () => list.health(),
      relist: () => list.relist(),
      run: (stop, handlers) =>
        list.run(stop, {
          ...handlers,
          onReplace: (items) => handlers.onReplace(this.#count(items)),
          onEvent: (type, object) => handlers.onEvent(type, this.#count(object)),
        }),
    };
  };

  #count<T>(answer: T): T {
    this.receivedBytes += JSON.stringify(answer)?.length ?? 0;
    return answer;
  }
}

interface Cost {
  /** Bytes of answers. */
  readonly runtime: number;
  readonly api: number;
  readonly statusWrites: number;
}

class Node {
  readonly world = new World(1, false);
  readonly channel = new ModelChannel(this.world.clock);
  readonly server = new MemoryApiServer({ clock: this.world.clock });
  readonly api = new CountedApi(this.server);
  readonly #stop = new AbortController();

  constructor() {
    this.world.replacePorts = (ports) => this.#connect(ports);
  }

  #connect(ports: AgentPorts): AgentPorts {
    const { kit, runtime, images } = ports;
    const { clock } = kit;
    const { api, channel } = this;
    const channels = { runtimeChannel: channel, imageChannel: channel };
    const client = new CriClient({ ...channels, requestTimeoutMs: 120_000, clock });
    const lists = new ListCaller(client, clock, false);
    const events = new ApiEventRecorder({ ...kit, api, nodeName: NODE, local: kit.events });
    void events.run(this.#stop.signal);
    const own = new OwnNode(api, NODE);
    return {
      ...ports,
      kit: { ...kit, events },
      runtime: {
        ...runtime,
        runtime: new CriContainerRuntime(client),
        reader: new CriRuntimeReader(client, lists),
      },
      images: { ...images, images: new CriImageService(client, lists) },
      sources: [new ApiPodSource({ api, nodeName: NODE, clock })],
      cluster: {
        api,
        dra: { connect: () => assert.fail('no driver is connected') },
        own,
        nodeVolumes: new NodeVolumes({ own, clock }),
        whenReady: async () => {},
      },
    };
  }

  /** What a change costs until all has come to rest. */
  async measure(change: () => void): Promise<Cost> {
    const { api, channel } = this;
    const before = { runtime: channel.receivedBytes, api: api.receivedBytes, writes: api.statusWrites };
    change();
    // Between two lists of everything, which are not for one pod.
    await this.world.passTime(20_000);
    return {
      runtime: channel.receivedBytes - before.runtime,
      api: api.receivedBytes - before.api,
      statusWrites: api.statusWrites - before.writes,
    };
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    assert.equal(await this.world.stopAgent(), true);
  }
}

async function measureLife(others: number) {
  const node = new Node();
  const { world, server } = node;
  world.startAgent();
  for (let i = 0; i < others; i++) server.put(PODS, toPod(`other-${i}`));
  await world.passTime(61_000);
  const start = await node.measure(() => server.put(PODS, toPod('web')));
  const status = server.peek<Pod>(PODS, 'web', 'sim')?.status;
  const end = await node.measure(
    () => void server.store.delete(toCollection('', 'v1', 'pods', 'sim'), 'web'),
  );
  const left = server.peek(PODS, 'web', 'sim');
  await node.stop();
  assert.deepEqual([status?.phase, left], ['Running', undefined]);
  return { start, end };
}

const BUDGET: Readonly<Record<'start' | 'end', Cost>> = {
  start: { runtime: 7_000, api: 7_600, statusWrites: 1 },
  end: { runtime: 7_600, api: 8_200, statusWrites: 1 },
};

describe('bytes of answers for one pod, and writes of its status', () => {
  for (const others of [0, OTHERS])
    it(`stay within their numbers with ${others} other pods`, async () => {
      const life = await measureLife(others);
      for (const step of ['start', 'end'] as const)
        for (const what of ['runtime', 'api', 'statusWrites'] as const) {
          const [count, most] = [life[step][what], BUDGET[step][what]];
          assert.ok(count > 0 && count <= most, `${step}, ${what}: ${count}, at most ${most}`);
        }
    });
});
