/** A kubelet that takes part in a benchmark: ours, an older build of ours, or the upstream one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { KubeletProcess } from '../scripts/demo/kubelet-process.ts';
import { removeCgroupRoot } from '../scripts/demo/remove-cgroup-root.ts';
import { unmountBelow } from '../scripts/demo/unmount-below.ts';

export interface Candidate {
  readonly name: string;
  /** Undefined is the one of this repository. */
  readonly program: string | undefined;
  readonly isUpstream: boolean;
}

const UPSTREAM = /\/kubernetes-[^/]+\/kubelet$/;

/** The model of an API server knows no lists that come as watches. */
const UPSTREAM_CONFIG = { enforceNodeAllocatable: [], featureGates: { WatchListClient: false } };

/** From a path; upstream's lies in a directory with its version. */
export function toCandidate(program: string | undefined): Candidate {
  const isUpstream = program !== undefined && UPSTREAM.test(program);
  const name = isUpstream ? 'upstream' : program === undefined ? 'ours' : basename(join(program, '../..'));
  return { name, program, isUpstream };
}

export interface CandidateNode {
  /** Of its runtime. */
  readonly endpoint: string;
  readonly nodeName: string;
  /** Undefined: without an API server. */
  readonly kubeconfig?: string | undefined;
}

/** Runs the kubelet with a root directory and a cgroup of its own until `body` ends. */
export async function withKubelet<T>(
  { program, isUpstream }: Candidate,
  { endpoint, nodeName, kubeconfig }: CandidateNode,
  body: (kubelet: KubeletProcess) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'kubelet-bench-'));
  const kubelet = new KubeletProcess({
    directory,
    endpoint,
    nodeName,
    flags: kubeconfig === undefined ? [] : toFlags(kubeconfig, isUpstream),
    ...(program === undefined ? {} : { program }),
    // Certificates that the bench itself trusts would be in the memory of every Node it starts; a kubelet has none.
    env: { NODE_EXTRA_CA_CERTS: '' },
    config: { maxPods: 2000, ...(isUpstream ? UPSTREAM_CONFIG : {}) },
  });
  try {
    await kubelet.start();
    return await body(kubelet);
  } catch (error) {
    for (const line of kubelet.lines.slice(-20)) console.error(JSON.stringify(line).slice(0, 500));
    throw error;
  } finally {
    await kubelet.stop();
    await unmountBelow(directory);
    await removeCgroupRoot(kubelet.cgroupRoot);
    await rm(directory, { recursive: true, force: true });
  }
}

/** The model of an API server speaks JSON only, which upstream's pays for. */
function toFlags(kubeconfig: string, isUpstream: boolean): string[] {
  return [`--kubeconfig=${kubeconfig}`, ...(isUpstream ? ['--kube-api-content-type=application/json'] : [])];
}
