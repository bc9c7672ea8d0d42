import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LaidOutField, layoutOf } from './pod-layout.ts';
import { OBJECT_SCHEMAS } from './pod-schema.ts';

/** API fields of the object, with those of fields that have no name of their own. */
function fieldsOf(type: string): readonly LaidOutField[] {
  return (layoutOf(type) ?? []).flatMap((field) =>
    field.name === undefined ? fieldsOf(field.type) : [field],
  );
}

function objectIn(type: string): string {
  return type.replace(/^(?:\*|\[\]|map\[\w+\])+/, '');
}

test('layoutOf knows every field a manifest may have, and of what it is made', () => {
  // Inside Kubernetes these live elsewhere; the pod is rearranged before it is dumped.
  const moved = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers', 'serviceAccount'];
  const seen = new Set<string>();
  const visit = (apiType: string, laidOut: string): void => {
    if (seen.has(apiType)) return;
    seen.add(apiType);
    const known = new Map(fieldsOf(laidOut).map((field) => [field.name, field.type]));
    for (const [name, { type }] of OBJECT_SCHEMAS.get(apiType) ?? []) {
      if (apiType === 'PodSpec' && moved.includes(name)) continue;
      if (apiType === 'Pod' && (name === 'kind' || name === 'apiVersion')) continue;
      const field = known.get(name);
      assert.ok(field !== undefined, `${apiType}.${name}`);
      const inner = type.replace(/^[[{]+|[\]}]+$/g, '');
      if (OBJECT_SCHEMAS.get(inner) === undefined) continue;
      assert.ok(layoutOf(objectIn(field)) !== undefined, `${apiType}.${name}: ${field}`);
      visit(inner, objectIn(field));
    }
  };
  visit('Pod', 'Pod');
  assert.ok(seen.size > 100);
});

test('layoutOf labels fields with their types and finds their API names', () => {
  const find = (type: string, label: string) => layoutOf(type)?.find((field) => field.label === label)?.name;
  assert.equal(find('Container', 'TTY:(bool)'), 'tty');
  assert.equal(find('ContainerPort', 'HostIP:(string)'), 'hostIP');
  assert.equal(find('PodSpec', 'Volumes:([]core.Volume)'), 'volumes');
  assert.equal(find('VolumeSource', 'CephFS:(*core.CephFSVolumeSource)'), 'cephfs');
  assert.equal(find('v1.ObjectMeta', 'UID:(types.UID)'), 'uid');
  assert.equal(layoutOf('PullPolicy'), undefined);
});
