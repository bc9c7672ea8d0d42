import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTaggedImage } from './image-name.ts';

const hex = (length: number) => 'a'.repeat(length);

describe('toTaggedImage', () => {
  for (const image of [
    'busybox',
    'library/busybox',
    'docker.io/library/busybox',
    'localhost/app',
    'localhost:5000/app',
    'Registry.example/app',
    '[::1]:5000/app',
    'a__b/c.d-e--f_g',
  ]) {
    it(`adds :latest to ${image}`, () => {
      assert.deepEqual(toTaggedImage(image), { ok: true, value: `${image}:latest` });
    });
  }

  for (const image of [
    'busybox:1.36',
    'busybox:V1_x.y-z',
    'localhost:5000/app:1',
    `busybox@sha256:${hex(64)}`,
    `busybox:1@sha256:${hex(64)}`,
    `busybox@sha512:${hex(128)}`,
  ]) {
    it(`leaves ${image.slice(0, 40)} as it is`, () => {
      assert.deepEqual(toTaggedImage(image), { ok: true, value: image });
    });
  }

  const refused: [image: string, why: string][] = [
    ['', 'invalid reference format'],
    ['a b', 'invalid reference format'],
    ['app:', 'invalid reference format'],
    ['app:Ta!g', 'invalid reference format'],
    [`app:${hex(129)}`, 'invalid reference format'],
    ['/app', 'invalid reference format'],
    ['app/', 'invalid reference format'],
    ['a..b/c/', 'invalid reference format'],
    ['-app', 'invalid reference format'],
    ['a.-b:1/app', 'invalid reference format'],
    ['app@sha256:abc', 'invalid reference format'],
    ['App', 'invalid reference format: repository name (library/App) must be lowercase'],
    ['team/App:1', 'invalid reference format: repository name (team/App) must be lowercase'],
    ['host.example/App:1', 'invalid reference format: repository name (App) must be lowercase'],
    [hex(64), `invalid repository name (${hex(64)}), cannot specify 64-byte hexadecimal strings`],
    [`app@sha256:${hex(32)}`, 'invalid checksum digest length'],
    [`app@sha256:${hex(63)}A`, 'invalid checksum digest format'],
    [`app@md5:${hex(32)}`, 'unsupported digest algorithm'],
  ];
  for (const [image, why] of refused) {
    it(`refuses "${image.slice(0, 40)}": ${why.slice(0, 60)}`, () => {
      assert.deepEqual(toTaggedImage(image), {
        ok: false,
        message: `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${why}`,
      });
    });
  }
});
