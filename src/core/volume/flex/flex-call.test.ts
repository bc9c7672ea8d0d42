import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { samplePod } from '../../../../test/samples/sample-pod.ts';
import { parseFlexAnswer, renderFlexOptions, toFlexOptions, toFlexPodOptions } from './flex-call.ts';

describe('parseFlexAnswer', () => {
  it('parses success, with default capabilities unless the driver overrides them', () => {
    assert.deepEqual(parseFlexAnswer('init', '{"status":"Success","capabilities":{"attach":false}}\n'), {
      kind: 'done',
      device: '',
      capabilities: { attach: false, selinuxRelabel: true, supportsMetrics: false, fsGroup: true },
    });
    const attached = parseFlexAnswer('attach', '{"status":"Success","device":"/dev/xvda"}');
    assert.equal(attached.kind === 'done' && attached.device, '/dev/xvda');
    assert.equal(attached.kind === 'done' && attached.capabilities.attach, true);
  });

  it('distinguishes unsupported from failed', () => {
    assert.deepEqual(parseFlexAnswer('attach', '{"status":"Not supported"}'), { kind: 'unsupported' });
    assert.deepEqual(parseFlexAnswer('mount', '{"status":"Failure","message":"no disk"}'), {
      kind: 'failed',
      message: 'mount command failed, status: Failure, reason: no disk',
    });
    for (const text of ['', 'mounted!', '7']) {
      const answer = parseFlexAnswer('mount', text);
      assert.ok(answer.kind === 'failed' && answer.message.startsWith('mount command answered '), text);
    }
  });
});

describe('toFlexOptions', () => {
  it('has the volume, the pod and the options of the volume, sorted', () => {
    const pod = samplePod({ serviceAccountName: 'robot', securityContext: { fsGroup: 7 } });
    const source = {
      driver: 'a/b',
      fsType: 'xfs',
      options: { size: '1', 'kubernetes.io/readwrite': 'mine' },
    };
    const text = renderFlexOptions(toFlexOptions('pv-1', source, true, toFlexPodOptions(pod)));
    assert.deepEqual(Object.keys(JSON.parse(text) as object), [
      'kubernetes.io/fsType',
      'kubernetes.io/mounterArgs.FsGroup',
      'kubernetes.io/pod.name',
      'kubernetes.io/pod.namespace',
      'kubernetes.io/pod.uid',
      'kubernetes.io/pvOrVolumeName',
      'kubernetes.io/readwrite',
      'kubernetes.io/serviceAccount.name',
      'size',
    ]);
    const options = JSON.parse(text) as Record<string, string>;
    assert.equal(options['kubernetes.io/readwrite'], 'mine');
    assert.equal(options['kubernetes.io/mounterArgs.FsGroup'], '7');
    assert.equal(toFlexOptions('v', {}, true)['kubernetes.io/readwrite'], 'ro');
    assert.equal(toFlexOptions('v', {}, false)['kubernetes.io/readwrite'], 'rw');
  });
});
