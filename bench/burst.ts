/**
 * What a burst costs the kubelet: CPU time to start many static pods at once
 * and to end them, and its memory before, between and after. On a real runtime
 * or, with `--model`, beside one that runs nothing; with `--api` the pods come
 * from a model of an API server and have tokens, as most pods do.
 *
 * Several programs take turns, round by round, as only such figures can be compared.
 *
 * usage: node bench/burst.ts [--endpoint=unix://… | --model] [--api] [--program=bin/kubelet]… [--rounds=1] [--pods=30] [--settle=3]
 */
import { parseArgs } from 'node:util';
import { type Burst, runBurst } from './burst-run.ts';
import { toCandidate } from './candidate.ts';

const { values } = parseArgs({
  options: {
    endpoint: { type: 'string' },
    model: { type: 'boolean', default: false },
    api: { type: 'boolean', default: false },
    program: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '1' },
    pods: { type: 'string', default: '30' },
    settle: { type: 'string', default: '3' },
  },
});
const hostDirectory = process.env['KUBELET_TS_HOST_DIR'] ?? '/var/lib/kubelet-ts-host';
const real = values.endpoint ?? `unix://${hostDirectory}/instances/2.1/containerd.sock`;
const settings = {
  pods: Number(values.pods),
  settleMs: Number(values.settle) * 1000,
  endpoint: values.model ? undefined : real,
  hasApi: values.api,
};

function print(what: string, { restMiB, start, end }: Burst): void {
  const [started, ended] = [start, end].map(({ cpuMs }) => `${cpuMs.toFixed(1)} ms`);
  const memory = [restMiB, start.residentMiB, end.residentMiB].map((mib) => mib.toFixed(1)).join(', ');
  const both = (start.cpuMs + end.cpuMs).toFixed(1);
  console.log(
    `${what}: CPU per pod ${both} ms (start ${started}, end ${ended}); ${memory} MiB before, between, after`,
  );
}

console.log(`${settings.pods} pods at once`);
const programs = values.program ?? [undefined];
for (let round = 1; round <= Number(values.rounds); round++)
  for (const candidate of programs.map(toCandidate))
    print(candidate.name, await runBurst(candidate, settings));
