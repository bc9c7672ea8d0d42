import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestName } from './field/suggest-name.ts';
import { OBJECT_SCHEMAS } from './pod-schema.ts';

const SCALARS = ['string', 'bool', 'int32', 'int64', 'intOrString', 'quantity', 'time', 'any'];

test('OBJECT_SCHEMAS name only types that exist', () => {
  for (const [name, fields] of OBJECT_SCHEMAS) {
    for (const [field, { type }] of fields) {
      const base = type.replace(/^[[{]|[\]}]$/g, '');
      assert.ok(
        SCALARS.includes(base) || OBJECT_SCHEMAS.get(base) !== undefined,
        `${name}.${field}: ${type}`,
      );
    }
  }
});

test('OBJECT_SCHEMAS leave no object type unused', () => {
  const used = new Set(['Pod', 'ConfigMap', 'Secret', 'PersistentVolume', 'PersistentVolumeClaim']);
  for (const fields of OBJECT_SCHEMAS.values()) {
    for (const { type } of fields.values()) used.add(type.replace(/^[[{]|[\]}]$/g, ''));
  }
  assert.deepEqual(
    [...OBJECT_SCHEMAS.keys()].filter((name) => !used.has(name)),
    [],
  );
});

test('OBJECT_SCHEMAS knows for Container the fields of Kubernetes 1.36', () => {
  const container = OBJECT_SCHEMAS.get('Container');
  assert.equal(container?.size, 25);
  assert.deepEqual(container?.get('name'), { type: 'string', required: true });
  assert.deepEqual(container?.get('restartPolicyRules'), { type: '[ContainerRestartRule]', required: false });
  assert.equal(OBJECT_SCHEMAS.get('EphemeralContainer')?.size, 26);
});

test('suggestName finds another case, a near name, and nothing far away', () => {
  const names = ['imagePullPolicy', 'image', 'command'];
  assert.equal(suggestName('imagepullpolicy', names), 'imagePullPolicy');
  assert.equal(suggestName('comand', names), 'command');
  assert.equal(suggestName('volumes', names), undefined);
});
