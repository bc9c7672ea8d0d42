/**
 * Who goes first through the start gate: critical pods before others, older
 * before newer. A pod keeps its rank for every step of its start, so one that
 * has its sandbox gets its containers before the next pod begins.
 */
import { isCritical } from '../../core/api/pod-identity.ts';
import type { DesiredPod } from '../../core/model/desired-pod.ts';

const BEHIND_CRITICAL = 2 ** 40;

export function startRank(record: DesiredPod): number {
  return isCritical(record.pod) ? record.order : BEHIND_CRITICAL + record.order;
}
