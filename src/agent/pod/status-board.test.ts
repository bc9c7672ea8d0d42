import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplePod, UID } from '../../../test/samples/sample-pods.ts';
import { type PublishedStatus, StatusBoard } from './status-board.ts';

test('StatusBoard keeps the last status of a pod until it is forgotten, and notifies its subscribers', () => {
  const board = new StatusBoard();
  const received: (PublishedStatus | undefined)[] = [];
  const subscription = board.published.subscribe((_uid, published) => received.push(published));
  const first: PublishedStatus = { pod: samplePod(), status: { phase: 'Pending' }, mayRun: true };
  const second: PublishedStatus = { ...first, status: { phase: 'Running' } };
  board.publish(UID, first);
  board.publish(UID, second);
  assert.equal(board.published.get(UID), second);
  board.podGone({ uid: UID });
  board.podGone({ uid: UID });
  assert.deepEqual(received, [first, second, undefined]);
  assert.equal(board.published.size, 0);
  subscription[Symbol.dispose]();
  board.publish(UID, first);
  assert.equal(received.length, 3);
});
