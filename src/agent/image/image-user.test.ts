/**
 * A container that must not run as root ran as root when its image was on the
 * node already: the image's user was known only after a pull.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../../test/fakes/fake-clock.ts';
import { RecordingEvents } from '../../../test/fakes/recording-events.ts';
import { RecordingLogger } from '../../../test/fakes/recording-logger.ts';
import { makeSandboxConfig } from '../../../test/fakes/runtime-configs.ts';
import { sampleContainer, sampleNode, samplePod } from '../../../test/samples/sample-pod.ts';
import { AgentError } from '../../base/errors.ts';
import { toPodUid } from '../../core/model/ids.ts';
import { toNamespaces } from '../../core/spec/namespaces.ts';
import { toContainerSecurity } from '../../core/spec/security.ts';
import { noImageMeter } from '../../ports/image-meter.ts';
import type { ImageInfo, ImageService } from '../../ports/runtime/image-service.ts';
import { ImagePuller } from './image-puller.ts';

const INFO: ImageInfo = {
  id: 'sha256:1',
  repoTags: ['app:1'],
  repoDigests: [],
  sizeBytes: 1,
  pinned: false,
  uid: 1000,
};

/** What the runtime answers after the pull: the image, nothing of use, or an error. */
function setUp(afterPull: ImageInfo | undefined | Error) {
  let isPresent = false;
  const images = {
    imageStatus: async () => {
      if (isPresent && afterPull instanceof Error) throw afterPull;
      return isPresent ? afterPull : undefined;
    },
    pullImage: async () => {
      isPresent = true;
      return INFO.id;
    },
  } as unknown as ImageService;
  const clock = new FakeClock();
  const puller = new ImagePuller({
    kit: { clock, events: new RecordingEvents(), logger: new RecordingLogger() },
    images,
    meter: noImageMeter,
    verification: undefined,
    credentials: { find: async () => ({ ok: true as const, value: [] }), forget: () => {} },
    limits: { maxParallelPulls: 1, pullsPerSecond: 0, burst: 1 },
  });
  const pod = samplePod();
  /** The user of a container that must not be root, or why there is none. */
  return async (): Promise<number | string | undefined> => {
    const answer = await clock.finish(
      puller.ensure({
        uid: toPodUid('a'),
        pod,
        image: 'app:1',
        policy: 'IfNotPresent',
        container: 'web',
        sandboxConfig: makeSandboxConfig('a'),
        signal: new AbortController().signal,
        label: 'a',
      }),
    );
    assert.ok(answer.ok);
    if (answer.inspectError !== undefined) return answer.inspectError;
    const security = toContainerSecurity({
      pod,
      container: sampleContainer({ securityContext: { runAsNonRoot: true } }),
      namespaces: toNamespaces(pod, undefined),
      imageUser: answer.info ?? {},
      volumeGroups: [],
      node: sampleNode(),
    });
    return security.ok ? security.value.runAsUser : security.message;
  };
}

describe('CVE-2019-11245: runAsNonRoot with a missing or cached image user', () => {
  it('the user is the same whether the image was pulled or there already', async () => {
    const userOf = setUp(INFO);
    assert.deepEqual([await userOf(), await userOf()], [1000, 1000]);
  });

  it('an image without a known user is refused, pulled or not', async () => {
    const { uid: _uid, ...rest } = INFO;
    const userOf = setUp(rest);
    for (const answer of [await userOf(), await userOf()])
      assert.match(String(answer), /^container has runAsNonRoot and image will run as root/);
  });

  it('an image that was pulled but cannot be looked at is not taken for one of root', async () => {
    assert.equal(await setUp(new AgentError('unavailable', 'runtime is away'))(), 'runtime is away');
  });

  it('an image of which nothing is known is refused', async () => {
    assert.match(String(await setUp(undefined)()), /^container has runAsNonRoot and image will run as root/);
  });
});
