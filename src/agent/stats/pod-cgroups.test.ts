import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPodUid } from '../../core/model/ids.ts';
import { CgroupPaths } from './pod-cgroups.ts';

const UID = toPodUid('11111111-2222-3333-4444-555555555555');
const POD = `/kubepods/besteffort/pod${UID}`;

function setUp(found: string[]) {
  const looks: string[] = [];
  const cgroups = new CgroupPaths({
    cgroupStats: {
      hasCgroup: (path) => {
        looks.push(path);
        return found.includes(path);
      },
      listCgroups: (path) => {
        looks.push(path);
        return found.filter((each) => each.startsWith(`${path}/`)).map((each) => each.slice(path.length + 1));
      },
    },
    node: { cgroupRoot: '/', cgroupDriver: 'cgroupfs', cgroupsPerQos: true },
  });
  const read = (): [pod: string | undefined, container: string | undefined, looks: number] => {
    looks.length = 0;
    cgroups.beginReading();
    const pod = cgroups.findPod(UID);
    return [pod, cgroups.findContainer(pod, 'c0ffee'), looks.length];
  };
  return { cgroups, read };
}

test('CgroupPaths looks for what it has not found, and not again for what it has', () => {
  const found: string[] = [];
  const { read } = setUp(found);
  assert.deepEqual(read(), [undefined, undefined, 3]);
  found.push(POD);
  assert.deepEqual(read(), [POD, undefined, 4]);
  found.push(`${POD}/c0ffee`);
  assert.deepEqual(read(), [POD, `${POD}/c0ffee`, 1]);
  assert.deepEqual(read(), [POD, `${POD}/c0ffee`, 0]);
});

test('CgroupPaths forgets what a reading did not ask for', () => {
  const { cgroups, read } = setUp([POD, `${POD}/c0ffee`]);
  read();
  cgroups.beginReading();
  assert.deepEqual(read(), [POD, `${POD}/c0ffee`, 4]);
});
