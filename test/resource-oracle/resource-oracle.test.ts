/**
 * Our assignments beside those of the upstream kubelet's own packages: the
 * same pods on the same machines have to be admitted or refused alike, get the
 * same CPUs and memory, and leave the same files. Runs the program named by
 * RESOURCE_ORACLE (`make resource-oracle` builds it).
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { SeededRandom } from '../fakes/seeded-random.ts';
import { SAMPLE_MACHINE_NAMES, sampleMachine } from '../samples/sample-machines.ts';
import { drawCase, type OracleCase, toHarness, toUpstream } from './oracle-case.ts';
import { type Draw, drawSteps } from './random-steps.ts';

const { RESOURCE_ORACLE: program, CASES = '500', SEED = '1' } = process.env;
const STEPS = 12;

interface Outcome {
  readonly admit: boolean;
  readonly reason: string;
  readonly message: string;
  readonly cpu: unknown;
  readonly memory: unknown;
}

interface Answer {
  readonly problem: string;
  readonly outcomes: readonly Outcome[] | null;
}

async function askUpstream(cases: readonly OracleCase[]): Promise<Answer[]> {
  const child = spawn(program ?? '', [], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(cases.map((one) => `${JSON.stringify(toUpstream(one))}\n`).join(''));
  const answers: Answer[] = [];
  for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line));
  return answers;
}

async function askOurs(one: OracleCase): Promise<Answer> {
  let harness: Awaited<ReturnType<typeof toHarness>>;
  try {
    harness = await toHarness(one);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), outcomes: null };
  }
  const outcomes: Outcome[] = [];
  for (const step of one.steps) {
    const refusal = 'add' in step ? await harness.add(step.add) : await harness.remove(step.remove);
    outcomes.push({
      admit: refusal === undefined,
      reason: refusal?.reason ?? '',
      message: refusal?.message ?? '',
      cpu: JSON.parse(harness.file('cpu_manager_state')),
      memory: JSON.parse(harness.file('memory_manager_state')),
    });
  }
  return { problem: '', outcomes };
}

/** Blocks of a container come in any order upstream, and its checksum with them. */
function normalise(answer: Answer): unknown {
  const sortBlocks = (_key: string, value: unknown): unknown =>
    Array.isArray(value) && value.every((one) => typeof one === 'object')
      ? value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
      : value;
  const outcomes = (answer.outcomes ?? []).map(({ memory, ...rest }) => {
    const { checksum: _, ...state } = memory as Record<string, unknown>;
    return { ...rest, memory: JSON.parse(JSON.stringify(state), sortBlocks) };
  });
  return { problem: answer.problem, outcomes };
}

describe('assignments of the upstream kubelet', { skip: program === undefined }, () => {
  for (const name of SAMPLE_MACHINE_NAMES)
    it(`are ours on the machine "${name}"`, { timeout: 600_000 }, async () => {
      const random = new SeededRandom(Number(SEED));
      const draw: Draw = (below) => Math.floor(random.next() * below);
      const machine = sampleMachine(name);
      const cases = Array.from({ length: Number(CASES) }, () =>
        drawCase(draw, machine, drawSteps(draw, machine, STEPS)),
      );
      const upstream = await askUpstream(cases);
      assert.equal(upstream.length, cases.length);
      let admitted = 0;
      for (const [index, one] of cases.entries()) {
        const theirs = upstream[index] ?? { problem: 'no answer', outcomes: null };
        admitted += theirs.outcomes?.filter(({ admit }) => admit).length ?? 0;
        const { machine: _, ...shown } = one;
        const context = `case ${index}: ${JSON.stringify(shown)}`;
        assert.deepEqual(normalise(await askOurs(one)), normalise(theirs), context);
      }
      assert.ok(admitted > cases.length);
    });
});
