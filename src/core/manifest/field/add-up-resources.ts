/** What the containers of a pod need together, by resource. */
import type { Container, PodSpec, ResourceList } from '../../api/pod.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type Quantity,
  tryParseQuantity,
} from '../../api/quantity.ts';
import { initContainersOf, isSidecar } from '../../model/pod-containers.ts';

type Sums = ReadonlyMap<string, Quantity>;

/**
 * What the containers need together: all that run side by side, or the hungriest init container with the
 * sidecars started before it, whichever is more.
 */
export function addUp(spec: PodSpec, what: 'requests' | 'limits'): ResourceList {
  let sidecars: Sums = new Map();
  let peak: Sums = new Map();
  for (const container of initContainersOf({ spec })) {
    const own = sumOf(container, what);
    if (isSidecar(container)) sidecars = combine(sidecars, own, addQuantities);
    const now = isSidecar(container) ? sidecars : combine(sidecars, own, addQuantities);
    peak = combine(peak, now, larger);
  }
  const running = spec.containers.reduce<Sums>(
    (sum, container) => combine(sum, sumOf(container, what), addQuantities),
    sidecars,
  );
  const total = combine(running, peak, larger);
  return Object.fromEntries([...total].map(([name, quantity]) => [name, formatQuantity(quantity)]));
}

function sumOf(container: Container, what: 'requests' | 'limits'): Sums {
  const sums = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(container.resources?.[what] ?? {})) {
    const quantity = tryParseQuantity(text);
    if (quantity !== undefined) sums.set(name, quantity);
  }
  return sums;
}

function combine(a: Sums, b: Sums, pick: (x: Quantity, y: Quantity) => Quantity): Sums {
  const out = new Map(a);
  for (const [name, quantity] of b) {
    const known = out.get(name);
    out.set(name, known === undefined ? quantity : pick(known, quantity));
  }
  return out;
}

function larger(a: Quantity, b: Quantity): Quantity {
  return compareQuantities(a, b) >= 0 ? a : b;
}
