import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMovingImage } from './image-reference.ts';

const SHA = `sha256:${'a'.repeat(64)}`;

const MOVING = [
  'nginx',
  'nginx:latest',
  'r.io:5000/a/b',
  'localhost/x',
  `x:latest@${SHA}`,
  'EXAMPLE.com/a',
  '[::1]:5000/x',
];
const FIXED = ['nginx:1', `nginx@${SHA}`, 'a:Latest', 'r.io:5000/a/b:v1'];
const NO_REFERENCE = [
  '',
  'Nginx',
  'x/Y',
  'a:',
  'a//b',
  '-a',
  'a@sha256:abc',
  'a'.repeat(64),
  'x:latest/y',
  'a b',
  'a..b',
];

for (const image of MOVING) {
  test(`isMovingImage is true for ${image}`, () => assert.equal(isMovingImage(image), true));
}
for (const image of [...FIXED, ...NO_REFERENCE]) {
  test(`isMovingImage is false for ${JSON.stringify(image)}`, () =>
    assert.equal(isMovingImage(image), false));
}
