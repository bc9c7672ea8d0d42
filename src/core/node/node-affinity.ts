/**
 * Whether a node is one of those a pod wants to be on: its node selector and
 * what its node affinity requires. Preferences matter to the scheduler only.
 */
import { matchesRequirement, readLabel } from '../api/label-selector.ts';
import type { StringMap } from '../api/meta.ts';
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from '../api/persistent-volume.ts';
import type { Pod } from '../api/pod.ts';
import type { AdmittingNode } from './admission-facts.ts';

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  };
}

export function matchesNodeAffinity(
  { spec }: Pod,
  { name, labels }: Pick<AdmittingNode, 'name' | 'labels'>,
): boolean {
  const selector = Object.entries(spec.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const affinity = spec.affinity as Affinity | undefined;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required, { name, labels });
}

/** One of the terms is met. */
export function matchesNodeSelector(
  { nodeSelectorTerms = [] }: NodeSelector,
  { name, labels }: Pick<AdmittingNode, 'name' | 'labels'>,
): boolean {
  return nodeSelectorTerms.some((term) => matchesTerm(term, name, labels));
}

/** A term that asks for nothing matches nothing. */
function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  name: string,
  labels: StringMap,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => matches(requirement, labels)) &&
    matchFields.every((requirement) => matches(requirement, { 'metadata.name': name }))
  );
}

/** Nodes are also chosen by numbers; everything else is as in any selector of labels. */
function matches(requirement: NodeSelectorRequirement, labels: StringMap): boolean {
  const { key, operator, values = [] } = requirement;
  if (operator === 'Gt') return compare(readLabel(labels, key), values) > 0;
  if (operator === 'Lt') return compare(readLabel(labels, key), values) < 0;
  return matchesRequirement(requirement, labels);
}

/** NaN, which is neither above nor below, unless both are whole numbers. */
function compare(value: string | undefined, [bound = '']: readonly string[]): number {
  const isNumber = (text: string): boolean => /^[+-]?\d+$/.test(text);
  return value !== undefined && isNumber(value) && isNumber(bound)
    ? Number(value) - Number(bound)
    : Number.NaN;
}
