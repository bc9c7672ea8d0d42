import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toPodUid } from '../model/ids.ts';
import type { DeviceResponse } from './device.ts';
import { computeDeviceChecksum, parseDeviceCheckpoint, renderDeviceCheckpoint } from './device-checkpoint.ts';

const RESPONSE = 'CgYKAUESAWIaFQoGL2Rldi94EgYvZGV2L3kaA21ydw==';
const GRANT = { env: [], mounts: [], devices: [], annotations: {}, cdiDevices: [] };
const toResponse = (encoded: string): DeviceResponse => ({ encoded, grant: GRANT });

/** Written by the upstream kubelet's own code, version 1.36.4. */
const UPSTREAM = [
  '{"Data":{"PodDeviceEntries":null,"RegisteredDevices":null},"Checksum":1944006890}',
  '{"Data":{"PodDeviceEntries":[],"RegisteredDevices":{}},"Checksum":2932075448}',
  `{"Data":{"PodDeviceEntries":[{"PodUID":"pod1","ContainerName":"con1","ResourceName":"example.com/dev","DeviceIDs":{"-1":["d1","d2"]},"AllocResp":"${RESPONSE}"}],"RegisteredDevices":{"example.com/dev":["d1","d2"]}},"Checksum":616564994}`,
  `{"Data":{"PodDeviceEntries":[{"PodUID":"pod1","ContainerName":"con1","ResourceName":"example.com/dev","DeviceIDs":{"0":["d1"],"1":["d2"]},"AllocResp":"${RESPONSE}"},{"PodUID":"pod2","ContainerName":"con1","ResourceName":"example.com/b","DeviceIDs":{"-1":["x"]},"AllocResp":""},{"PodUID":"pod3","ContainerName":"c","ResourceName":"example.com/b","DeviceIDs":null,"AllocResp":null}],"RegisteredDevices":{"a.b/e":[],"a.b/n":null,"example.com/b":["x"],"example.com/dev":["d1","d2"]}},"Checksum":3985718568}`,
];

describe('the device checkpoint', () => {
  for (const [at, text] of UPSTREAM.entries())
    it(`has the checksum of upstream (${at})`, () => {
      const { Data, Checksum } = JSON.parse(text);
      assert.equal(computeDeviceChecksum(Data), Checksum);
      assert.ok(!('problem' in parseDeviceCheckpoint(text, toResponse)));
    });

  it('is written as upstream writes it', () => {
    const written = renderDeviceCheckpoint({
      assignments: [
        {
          podUid: toPodUid('pod1'),
          container: 'con1',
          resource: 'example.com/dev',
          ids: new Map([[-1, ['d1', 'd2']]]),
          response: toResponse(RESPONSE),
        },
      ],
      registered: new Map([['example.com/dev', ['d1', 'd2']]]),
    });
    assert.equal(written, UPSTREAM[2]);
  });

  it('leaves out what no plugin has answered for', () => {
    const pending = {
      podUid: toPodUid('pod1'),
      container: 'c',
      resource: 'a.b/c',
      ids: new Map([[0, ['d']]]),
      response: undefined,
    };
    const { Data } = JSON.parse(renderDeviceCheckpoint({ assignments: [pending], registered: new Map() }));
    assert.deepEqual(Data, { PodDeviceEntries: null, RegisteredDevices: {} });
  });

  it('refuses damaged and foreign text', () => {
    const problems = [
      ['', 'it is not a checkpoint'],
      ['[]', 'it is not a checkpoint'],
      ['{"Data":{"PodDeviceEntries":7},"Checksum":1}', 'its data has another form'],
      ['{"Data":{"PodDeviceEntries":[{"PodUID":1}]},"Checksum":1}', 'its data has another form'],
      ['{"Data":{"RegisteredDevices":{"a":[1]}},"Checksum":1}', 'its data has another form'],
      [UPSTREAM[2]?.replace('d2', 'd3') ?? '', 'checkpoint is corrupted'],
      [UPSTREAM[0]?.replace(/\d+\}$/, '0}') ?? '', 'checkpoint is corrupted'],
    ];
    for (const [text = '', problem] of problems)
      assert.deepEqual(parseDeviceCheckpoint(text, toResponse), { problem }, text);
  });

  it('takes any data without failing, and what it wrote itself', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (PodDeviceEntries, RegisteredDevices) => {
        const text = JSON.stringify({ Data: { PodDeviceEntries, RegisteredDevices }, Checksum: 0 });
        assert.ok('problem' in parseDeviceCheckpoint(text, toResponse));
      }),
    );
    const id = fc.string({ minLength: 1 });
    const ids = fc.dictionary(fc.integer({ min: -1, max: 9 }).map(String), fc.array(id));
    const entry = fc.record({ container: id, resource: id, ids, encoded: fc.base64String() });
    fc.assert(
      fc.property(fc.array(entry), fc.dictionary(id, fc.array(id)), (entries, registered) => {
        const assignments = entries.map(({ encoded, ids: groups, ...one }) => ({
          ...one,
          podUid: toPodUid('pod1'),
          ids: new Map(Object.entries(groups).map(([node, group]) => [Number(node), group])),
          response: toResponse(encoded),
        }));
        const written = { assignments, registered: new Map(Object.entries(registered)) };
        const parsed = parseDeviceCheckpoint(renderDeviceCheckpoint(written), toResponse);
        assert.ok(!('problem' in parsed));
        assert.equal(renderDeviceCheckpoint(parsed), renderDeviceCheckpoint(written));
      }),
    );
  });

  it('leaves out entries whose pod or answer makes no sense', () => {
    const entry = (uid: string): object => ({
      PodUID: uid,
      ContainerName: 'c',
      ResourceName: 'r',
      DeviceIDs: { '0': ['d'] },
      AllocResp: '',
    });
    const data = { PodDeviceEntries: [entry('../x'), entry('good')], RegisteredDevices: {} };
    const text = JSON.stringify({ Data: data, Checksum: computeDeviceChecksum(data as never) });
    const parsed = parseDeviceCheckpoint(text, toResponse);
    assert.ok(!('problem' in parsed));
    assert.deepEqual(
      parsed.assignments.map(({ podUid }) => podUid),
      ['good'],
    );
    const unread = parseDeviceCheckpoint(text, () => undefined);
    assert.ok(!('problem' in unread));
    assert.deepEqual(unread.assignments, []);
  });

  it('keeps any memory node that is a number, and leaves out only the entry whose node is none', () => {
    const entry = (uid: string, node: string): object => ({
      PodUID: uid,
      ContainerName: 'c',
      ResourceName: 'r',
      DeviceIDs: { [node]: ['d'] },
      AllocResp: '',
    });
    const entries = [entry('near', '0'), entry('strange', '4294967295'), entry('bad', 'x')];
    const data = { PodDeviceEntries: entries, RegisteredDevices: {} };
    const text = JSON.stringify({ Data: data, Checksum: computeDeviceChecksum(data as never) });
    const parsed = parseDeviceCheckpoint(text, toResponse);
    assert.ok(!('problem' in parsed), JSON.stringify(parsed));
    assert.deepEqual(
      parsed.assignments.map(({ podUid, ids }) => [podUid, [...ids]]),
      [
        ['near', [[0, ['d']]]],
        ['strange', [[4294967295, ['d']]]],
      ],
    );
    const why = 'it names a memory node that is no number';
    assert.deepEqual(parsed.skipped, [{ podUid: 'bad', container: 'c', resource: 'r', why }]);
  });
});
