/**
 * Rules for a pod's metadata: name, namespace, and the keys and values of labels and annotations.
 */
import type { ObjectMeta } from '../../api/meta.ts';
import {
  labelFaults,
  labelValueFaults,
  qualifiedNameFaults,
  subdomainFaults,
} from '../../api/validate-name.ts';
import { type FieldError, invalidValue, requiredValue } from '../field/field-error.ts';

const MAX_ANNOTATION_BYTES = 256 * 1024;

export function* validateMeta(meta: ObjectMeta): Generator<FieldError> {
  if (meta.name === '') yield requiredValue('metadata.name', 'name or generateName is required');
  else for (const why of subdomainFaults(meta.name)) yield invalidValue('metadata.name', meta.name, why);
  if (meta.namespace === '') yield requiredValue('metadata.namespace');
  else {
    for (const why of labelFaults(meta.namespace)) {
      yield invalidValue('metadata.namespace', meta.namespace, why);
    }
  }
  for (const [key, value] of Object.entries(meta.labels ?? {})) {
    for (const why of qualifiedNameFaults(key)) yield invalidValue(`metadata.labels[${key}]`, key, why);
    for (const why of labelValueFaults(value)) yield invalidValue(`metadata.labels[${key}]`, value, why);
  }
  yield* validateAnnotations(meta.annotations ?? {});
}

function* validateAnnotations(annotations: Readonly<Record<string, string>>): Generator<FieldError> {
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    size += key.length + value.length;
    for (const why of qualifiedNameFaults(key.toLowerCase())) {
      yield invalidValue(`metadata.annotations[${key}]`, key, why);
    }
  }
  if (size > MAX_ANNOTATION_BYTES) {
    const message = `Too long: may not be more than ${MAX_ANNOTATION_BYTES} bytes`;
    yield { path: 'metadata.annotations', message, value: size };
  }
}
