/** Whether the container runtime can be used, and whether it has a network for pods. Pure. */
import type { RuntimeFacts } from '../../../adapters/cri/inspect-runtime.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export interface FoundRuntime {
  readonly endpoint: string;
  /** `open`, or an errno such as ENOENT. */
  readonly socket: string;
  /** Undefined where nothing listens. */
  readonly facts: RuntimeFacts | { readonly problem: string } | undefined;
  /** Other usual sockets where something listens. */
  readonly others: readonly string[];
  /** A kubelet with this root directory runs: pods in the runtime are its own. */
  readonly isRunning: boolean;
}

const INSTALL =
  'install and start one (Debian: apt-get install containerd containernetworking-plugins), or set containerRuntimeEndpoint to its socket';
const SHOWN_PODS = 3;

export function judgeRuntime(found: FoundRuntime): Finding[] {
  const { endpoint, socket, facts, others } = found;
  const subject = 'runtime';
  if (socket === 'EACCES') return [problem(subject, `may not open ${endpoint}`, 'run it as root (sudo)')];
  if (facts === undefined) {
    const [other] = others;
    const mend =
      other === undefined
        ? INSTALL
        : `set containerRuntimeEndpoint: unix://${other}, where something listens`;
    return [problem(subject, `nothing listens on ${endpoint} (${socket})`, mend)];
  }
  if ('problem' in facts)
    return [
      problem(
        subject,
        `${endpoint} does not answer as a container runtime: ${facts.problem}`,
        'look at its log (journalctl -u containerd), and restart it',
      ),
    ];
  return [judgeReady(endpoint, facts), ...judgePods(facts, found.isRunning)];
}

function judgeReady(endpoint: string, { name, version, conditions }: RuntimeFacts): Finding {
  const who = `${name} ${version} on ${endpoint}`;
  const broken = conditions.find(({ type, status }) => type === 'RuntimeReady' && !status);
  if (broken === undefined) return ok('runtime', `${who} is ready`);
  const why = broken.message || broken.reason;
  return problem('runtime', `${who} is not ready: ${why}`, 'look at its log, and restart it');
}

/** A kubelet ends every pod in its runtime that it has no manifest for. */
function judgePods({ podsOfOthers }: RuntimeFacts, isRunning: boolean): Finding[] {
  if (isRunning || podsOfOthers.length === 0) return [];
  const shown = podsOfOthers.slice(0, SHOWN_PODS).join(', ');
  const more = podsOfOthers.length > SHOWN_PODS ? ` and ${podsOfOthers.length - SHOWN_PODS} more` : '';
  return [
    warning(
      'pods',
      `the runtime runs ${shown}${more}: a kubelet ends the pods it has no manifest for`,
      'start the kubelet with the manifests or the cluster they belong to, or give it a runtime of its own',
    ),
  ];
}

/** What a CNI configuration asks for. */
export interface NetworkConfiguration {
  readonly file: string;
  /** Programs it names that are in no usual directory. */
  readonly missingPlugins: readonly string[];
}

export interface NetworkFacts {
  /** Undefined where no runtime answers. */
  readonly condition:
    | { readonly status: boolean; readonly reason: string; readonly message: string }
    | undefined;
  readonly directory: string;
  /** The first in the order of names is the one in use; undefined when there is none. */
  readonly configuration: NetworkConfiguration | undefined;
}

export function judgeNetwork({ condition, directory, configuration }: NetworkFacts): Finding {
  const subject = 'pod network';
  if (condition?.status === true) return ok(subject, 'the runtime has one');
  const why = condition === undefined ? 'no runtime answers' : condition.message || condition.reason;
  if (configuration === undefined) {
    const mend = `put a CNI configuration there (a network add-on of a cluster does), or use hostNetwork: true; a runtime may be set to another directory`;
    return problem(subject, `none: ${why}; there is no configuration in ${directory}`, mend);
  }
  const { file, missingPlugins } = configuration;
  if (missingPlugins.length > 0)
    return problem(
      subject,
      `none: ${why}; ${file} needs ${missingPlugins.join(', ')}, not found in /opt/cni/bin or /usr/lib/cni`,
      'install them (Debian: apt-get install containernetworking-plugins), and point bin_dir of the runtime there',
    );
  if (condition === undefined) return ok(subject, `${file} and its plugins are there; no runtime answers`);
  return problem(subject, `none: ${why}; ${file} is there`, 'look at the log of the runtime, and restart it');
}
