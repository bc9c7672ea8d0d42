/** Pods that come and go on a machine, drawn at random: sizes that fit, that just fit and that do not. */
import type { Container, Pod } from '../../src/core/api/pod.ts';
import type { MachineLayout } from '../../src/core/cpus/machine-layout.ts';

export type Step = { readonly add: Pod } | { readonly remove: string };

/** A number from 0 to `below` - 1. */
export type Draw = (below: number) => number;

const MI = 2 ** 20;

export function drawSteps(draw: Draw, machine: MachineLayout, count: number): Step[] {
  const present: string[] = [];
  return Array.from({ length: count }, (_, number): Step => {
    if (present.length > 0 && draw(4) === 0) {
      const [gone = ''] = present.splice(draw(present.length), 1);
      return { remove: gone };
    }
    const uid = `pod-${number}`;
    present.push(uid);
    return { add: drawPod(draw, machine, uid) };
  });
}

function drawPod(draw: Draw, machine: MachineLayout, uid: string): Pod {
  const some = (most: number, name: string, fewest: number): Container[] =>
    Array.from({ length: fewest + draw(most) }, (_, index) =>
      drawContainer(draw, machine, `${name}${index}`),
    );
  const init = draw(3) === 0 ? some(3, 'init', 1) : [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: uid, namespace: 'default', uid },
    spec: {
      containers: some(3, 'main', 1),
      initContainers: init.map((one) => (draw(3) === 0 ? { ...one, restartPolicy: 'Always' as const } : one)),
    },
  };
}

function drawContainer(draw: Draw, { cpus, nodes }: MachineLayout, name: string): Container {
  const whole = 1 + draw(draw(3) === 0 ? cpus.length : 4);
  const cpu = draw(6) === 0 ? '500m' : String(whole);
  const nodeBytes = nodes[0]?.memoryBytes ?? 0;
  const memory = `${Math.ceil((nodeBytes / MI / 8) * (1 + draw(draw(4) === 0 ? 20 : 3)))}Mi`;
  const pages = nodes[0]?.hugepages[0];
  const huge = pages !== undefined && draw(3) === 0 ? { 'hugepages-2Mi': `${64 * (1 + draw(6))}Mi` } : {};
  const limits = { cpu, memory, ...huge };
  const requests = draw(8) === 0 ? { ...limits, memory: '1Mi' } : limits;
  return { name, image: 'i', resources: { limits, requests } };
}
