import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../test/samples/sample-pods.ts';
import type { Pod } from '../../core/api/pod.ts';
import { CONFIG_MIRROR_ANNOTATION } from '../../core/api/pod-identity.ts';
import { toPodUid } from '../../core/model/ids.ts';
import type { DeliverPods, PodSource } from '../../ports/pod-source.ts';
import { PodIntake } from './pod-intake.ts';

const named = (name: string, annotations: Record<string, string> = {}): Pod =>
  samplePod({}, { metadata: { name, uid: name, annotations } });
const MIRROR = named('mirror', { [CONFIG_MIRROR_ANNOTATION]: 'hash' });

async function setUp() {
  const heard: string[] = [];
  const deliver = new Map<string, DeliverPods>();
  const sources = (['file', 'api'] as const).map(
    (name): PodSource => ({ name, run: async (_stop, to) => void deliver.set(name, to) }),
  );
  const namesOf = (pods: readonly Pod[]): string => pods.map(({ metadata }) => metadata.name).join();
  const intake = new PodIntake(sources, {
    deliver: (source, pods, complete) => {
      if ('gone' in pods) {
        heard.push(`${source} changed ${namesOf(pods.changed)}, gone ${namesOf(pods.gone)}`);
        return pods.changed.map(({ metadata }) => toPodUid(metadata.uid));
      }
      heard.push(`${source} ${namesOf(pods)} ${complete}`);
      return pods.slice(0, 1).map(({ metadata }) => toPodUid(metadata.uid));
    },
  });
  intake.onApiDelivery(
    (mirrors, news) => void heard.push(`mirrors ${namesOf(mirrors)}, news ${news.join()}`),
  );
  await intake.run(new AbortController().signal);
  return { heard, from: (name: 'file' | 'api') => deliver.get(name) as DeliverPods };
}

describe('PodIntake', () => {
  it('hands on what a source delivers, and sets the mirrors of the API server apart', async () => {
    const { heard, from } = await setUp();
    from('api')([named('a'), MIRROR, named('b')]);
    assert.deepEqual(heard, ['api a,b undefined', 'mirrors mirror, news a']);
  });

  it('hands on what has changed alone, with all mirrors there are', async () => {
    const { heard, from } = await setUp();
    const [a, b] = [named('a'), named('b')];
    const second = named('second', { [CONFIG_MIRROR_ANNOTATION]: 'hash' });
    from('api')([a, MIRROR]);
    heard.length = 0;
    from('api')([a, MIRROR, b, second], true, { changed: [b, second], gone: [] });
    assert.deepEqual(heard, ['api changed b, gone second', 'mirrors mirror,second, news b']);
    heard.length = 0;
    from('api')([a, second], true, { changed: [], gone: [MIRROR, b] });
    assert.deepEqual(heard, ['api changed , gone mirror,b', 'mirrors second, news ']);
  });

  it('reports the mirrors also when there are none, for then all of them are gone', async () => {
    const { heard, from } = await setUp();
    from('api')([named('a')]);
    assert.deepEqual(heard, ['api a undefined', 'mirrors , news a']);
  });

  it('takes no word about mirrors from a delivery that is not the API server’s own', async () => {
    const { heard, from } = await setUp();
    from('api')([named('a')], false);
    from('file')([named('b')]);
    assert.deepEqual(heard, ['api a false', 'file b undefined']);
  });
});
