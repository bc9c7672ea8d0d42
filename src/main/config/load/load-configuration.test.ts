import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONFIG_FLAGS } from '../config-flags.ts';
import { type JsonObject, type JsonValue, valueAt, withValueAt } from '../json-value.ts';
import type { ConfigPath } from '../kubelet-configuration.ts';
import type { ProcessFlags } from '../process-flags.ts';
import {
  type LoadedConfiguration,
  type LoadHost,
  loadConfiguration,
  type RejectedConfiguration,
} from './load-configuration.ts';
import { LoadFindings } from './load-findings.ts';
import { warnAboutUnhonoured } from './warn-about-settings.ts';

type Files = Readonly<Record<string, string | JsonObject>>;

const HEAD = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
/** What a standalone kubelet with a file must set to be accepted. */
const OPEN = { authentication: { webhook: { enabled: false } }, authorization: { mode: 'AlwaysAllow' } };

/** A host whose files are given by path; objects become documents with the right head. */
function hostOf(files: Files = {}): LoadHost {
  const text = (value: string | JsonObject) =>
    typeof value === 'string' ? value : JSON.stringify({ ...HEAD, ...value });
  return {
    cwd: '/work',
    cgroupVersion: 2,
    readFile: (path) => {
      const content = files[path];
      if (content === undefined) throw new Error(`no such file: ${path}`);
      return text(content);
    },
    readDir: (path) => {
      const inside = Object.keys(files).filter((name) => name.startsWith(`${path}/`));
      if (inside.length === 0) throw new Error(`no such directory: ${path}`);
      const names = new Set(inside.map((name) => name.slice(path.length + 1).split('/')[0] ?? ''));
      return [...names]
        .map((name) => ({ name, isDirectory: files[`${path}/${name}`] === undefined }))
        .reverse();
    },
  };
}

function load(argv: readonly string[], files: Files = {}): LoadedConfiguration {
  const outcome = loadConfiguration(argv, hostOf(files));
  assert.equal(outcome.kind, 'loaded', outcome.kind === 'rejected' ? outcome.message : '');
  return outcome as LoadedConfiguration;
}

function reject(argv: readonly string[], files: Files = {}): RejectedConfiguration {
  const outcome = loadConfiguration(argv, hostOf(files));
  assert.equal(outcome.kind, 'rejected');
  return outcome as RejectedConfiguration;
}

const FILE = ['--config=/etc/k.yaml'];
const FILE_AND_DIR = ['--config=/etc/k.yaml', '--config-dir=/etc/d'];

describe('loadConfiguration with flags only', () => {
  it('has the older open defaults and no hard eviction thresholds', () => {
    const { config } = load([]);
    assert.equal(config.authentication.anonymous.enabled, true);
    assert.equal(config.authorization.mode, 'AlwaysAllow');
    assert.equal(config.readOnlyPort, 10255);
    assert.deepEqual(config.evictionHard, {});
  });

  it('takes zero from a flag literally', () => {
    assert.equal(load(['--registry-burst=0']).config.registryBurst, 0);
    assert.deepEqual(reject(['--port=0']).problems, [
      'invalid configuration: port (--port) 0 must be between 1 and 65535, inclusive',
    ]);
  });

  it('does not let nodeStatusReportFrequency follow a flag', () => {
    assert.equal(load(['--node-status-update-frequency=7s']).config.nodeStatusReportFrequency, '5m0s');
  });

  it('ORs --seccomp-default into the configuration, and tidies two raw values', () => {
    const { config } = load([
      '--seccomp-default',
      '--pod-max-pids=-7',
      '--eviction-pressure-transition-period=0',
    ]);
    assert.equal(config.seccompDefault, true);
    assert.equal(config.podPidsLimit, -1);
    assert.equal(config.evictionPressureTransitionPeriod, '5m0s');
  });

  it('prints help and version and exits 0', () => {
    for (const [flag, text] of [
      ['--help', /Usage:\n {2}kubelet/],
      ['-h', /Usage:/],
      ['--version', /^Kubernetes v1\.36\.4\+ts\./],
      ['--version=raw', /^version\.Info/],
    ] as const) {
      const outcome = loadConfiguration([flag], hostOf());
      assert.ok(outcome.kind === 'print', flag);
      assert.match(outcome.text, text);
      assert.equal(outcome.exitCode, 0);
    }
  });

  it('lets --version override what is reported, within the release', () => {
    assert.equal(load(['--version=v1.36.4+mine']).version, 'v1.36.4+mine');
    assert.equal(load(['--version=v1.36.4']).version, 'v1.36.4');
    assert.match(load(['--version=false']).version, /^v1\.36\.4\+ts\./);
    for (const text of ['v1.35.0', 'v1.36.40', '1.36.4', 'yes']) {
      assert.match(reject([`--version=${text}`]).message, /for "--version" flag/, text);
    }
  });

  it('refuses bad flags and stray words with exit code 1', () => {
    assert.deepEqual(reject(['--bogus']).problems, ['failed to parse kubelet flag: unknown flag: --bogus']);
    assert.deepEqual(reject(['walk']).problems, ['unknown command walk; see kubelet --help']);
    assert.deepEqual(reject(['--root-dir=/x', 'get', 'pods']).problems, [
      'the command "get" comes before all flags; see kubelet get --help',
    ]);
    assert.deepEqual(reject(['--bogus', 'value']).problems, [
      'failed to parse kubelet flag: unknown flag: --bogus',
    ]);
    assert.equal(reject(['run']).exitCode, 1);
  });

  it('gathers flag rules, gates and configuration rules in one refusal', () => {
    const { problems, exitCode, message } = reject([
      '--cloud-provider=aws',
      '--feature-gates=Nope=true,NodeSwap=false',
      '--max-pods=-1',
    ]);
    assert.deepEqual(problems, [
      '--feature-gates: unrecognized feature gate: Nope',
      '--feature-gates: cannot set feature gate NodeSwap to false, feature is locked to true',
      'invalid --cloud-provider "aws": must be empty or "external"',
      'invalid configuration: maxPods (--max-pods) -1 must be at least 0',
    ]);
    assert.equal(message, `[${problems.join(', ')}]`);
    assert.equal(exitCode, 1);
  });
});

describe('loadConfiguration with a file', () => {
  it('has the closed defaults and the default hard eviction thresholds', () => {
    const { config } = load([...FILE, '--kubeconfig=/kc'], { '/etc/k.yaml': {} });
    assert.deepEqual(
      [
        config.authentication.anonymous.enabled,
        config.authentication.webhook.enabled,
        config.authorization.mode,
        config.readOnlyPort,
      ],
      [false, true, 'Webhook', 0],
    );
    assert.equal(Object.keys(config.evictionHard).length, 5);
    assert.equal(config.evictionHard['memory.available'], '100Mi');
  });

  it('uses its own thresholds alone unless configured to merge', () => {
    const evictionHard = { 'memory.available': '1Gi' };
    assert.deepEqual(
      load(FILE, { '/etc/k.yaml': { ...OPEN, evictionHard } }).config.evictionHard,
      evictionHard,
    );
    assert.deepEqual(load(FILE, { '/etc/k.yaml': { ...OPEN, evictionHard: {} } }).config.evictionHard, {});
    const merged = load(FILE, {
      '/etc/k.yaml': { ...OPEN, evictionHard, mergeDefaultEvictionSettings: true },
    });
    assert.equal(merged.config.evictionHard['memory.available'], '1Gi');
    assert.equal(merged.config.evictionHard['nodefs.available'], '10%');
  });

  it('resolves relative paths against the directory of the file', () => {
    const { config } = load(FILE, {
      '/etc/k.yaml': { ...OPEN, staticPodPath: 'pods', resolvConf: '', tlsCertFile: '/abs' },
    });
    assert.deepEqual(
      [config.staticPodPath, config.resolvConf, config.tlsCertFile],
      ['/etc/pods', '', '/abs'],
    );
    const relative = load(['--config=conf/k.yaml'], {
      '/work/conf/k.yaml': { ...OPEN, staticPodPath: 'pods' },
    });
    assert.equal(relative.config.staticPodPath, '/work/conf/pods');
    assert.equal(
      load([...FILE, '--pod-manifest-path=pods'], { '/etc/k.yaml': OPEN }).config.staticPodPath,
      'pods',
    );
  });

  it('goes on leniently after unknown fields, other case and repeated keys, with a notice', () => {
    const text = `apiVersion: ${HEAD.apiVersion}\nkind: ${HEAD.kind}\nmaxPods: 1\nmaxPods: 2\nMaxPods: 3\nbogus: 1\n`;
    const { config, warnings } = load([...FILE, '--kubeconfig=/kc'], { '/etc/k.yaml': text });
    assert.equal(config.maxPods, 2);
    const lenient = warnings.find((notice) => notice.kind === 'lenient-file')?.message ?? '';
    for (const words of [
      'line 4: key "maxPods" is repeated',
      'line 5: unknown field "MaxPods" (did you mean maxPods?)',
      'line 6: unknown field "bogus"',
    ]) {
      assert.ok(lenient.includes(words), `${words} in ${lenient}`);
    }
  });

  it('refuses every wrong type with file and line, and does not complain about the default instead', () => {
    const text = `apiVersion: ${HEAD.apiVersion}\nkind: ${HEAD.kind}\nmaxPods: "5"\nauthorization:\n  mode: 1\nport: 70000\nauthentication: {webhook: {enabled: false}}\n`;
    assert.deepEqual(reject(FILE, { '/etc/k.yaml': text }).problems, [
      'config file /etc/k.yaml: line 3: maxPods "5" must be an integer (int32)',
      'config file /etc/k.yaml: line 5: authorization.mode 1 must be a string',
      'invalid configuration: port (--port) 70000 must be between 1 and 65535, inclusive',
    ]);
  });

  it('never shows a header value', () => {
    const { message } = reject(FILE, {
      '/etc/k.yaml': { ...OPEN, staticPodURLHeader: { Authorization: 's3cret' } },
    });
    assert.match(message, /staticPodURLHeader\.Authorization <masked> must be a list/);
    assert.ok(!message.includes('s3cret'));
  });

  it('refuses a missing, empty or foreign file', () => {
    assert.match(reject(FILE).message, /^cannot read config file "\/etc\/k.yaml": no such file/);
    assert.equal(reject(FILE, { '/etc/k.yaml': '\n' }).message, 'config file /etc/k.yaml: is empty');
    assert.match(
      reject(FILE, { '/etc/k.yaml': 'kind: Pod\n' }).message,
      /apiVersion is missing.*kind "Pod" is not supported/,
    );
  });

  it('exits 2 for a bad gate in the file, 1 for the same mistake on argv', () => {
    for (const featureGates of [
      { Nope: true },
      { NodeSwap: false },
      { ClusterTrustBundleProjection: true },
    ]) {
      assert.equal(reject(FILE, { '/etc/k.yaml': { ...OPEN, featureGates } }).exitCode, 2);
    }
    assert.equal(reject(['--feature-gates=Nope=true']).exitCode, 1);
    assert.equal(reject([...FILE, '--feature-gates=Nope=true'], { '/etc/k.yaml': OPEN }).exitCode, 1);
  });

  it('merges gates per gate, flags winning', () => {
    const files = { '/etc/k.yaml': { ...OPEN, featureGates: { PodsAPI: true, EventedPLEG: true } } };
    const { config, features } = load([...FILE, '--feature-gates=EventedPLEG=false,MemoryQoS=true'], files);
    assert.deepEqual(config.featureGates, { PodsAPI: true, EventedPLEG: false, MemoryQoS: true });
    assert.deepEqual(
      [features.enabled('PodsAPI'), features.enabled('EventedPLEG'), features.enabled('MemoryQoS')],
      [true, false, true],
    );
  });

  it('lets a flag replace a whole map or list', () => {
    const files = {
      '/etc/k.yaml': {
        ...OPEN,
        systemReserved: { cpu: '1', memory: '1Gi' },
        clusterDNS: ['10.0.0.1', '10.0.0.2'],
      },
    };
    const { config } = load([...FILE, '--system-reserved=cpu=2', '--cluster-dns=10.0.0.9'], files);
    assert.deepEqual(config.systemReserved, { cpu: '2' });
    assert.deepEqual(config.clusterDNS, ['10.0.0.9']);
  });
});

describe('loadConfiguration with drop-ins', () => {
  it('reads *.conf files recursively in lexical order, later ones winning', () => {
    const { config, warnings } = load(FILE_AND_DIR, {
      '/etc/k.yaml': OPEN,
      '/etc/d/10-a.conf': { maxPods: 1, podsPerCore: 1, kubeAPIBurst: 1 },
      '/etc/d/20-sub/z.conf': { maxPods: 2, podsPerCore: 2 },
      '/etc/d/30-b.conf': { maxPods: 3 },
      '/etc/d/40-c.yaml': { maxPods: 4 },
      '/etc/d/50-c.CONF': { maxPods: 5 },
    });
    assert.deepEqual([config.maxPods, config.podsPerCore, config.kubeAPIBurst], [3, 2, 1]);
    assert.deepEqual(
      warnings
        .filter((notice) => notice.kind === 'skipped-file')
        .map((notice) => [notice.verbosity, notice.message]),
      [
        [4, 'skipping /etc/d/40-c.yaml: drop-in files end in .conf'],
        [4, 'skipping /etc/d/50-c.CONF: drop-in files end in .conf'],
      ],
    );
  });

  it('merges maps by key, replaces lists, and null brings the default back', () => {
    const { config } = load(FILE_AND_DIR, {
      '/etc/k.yaml': {
        ...OPEN,
        systemReserved: { cpu: '1', memory: '1Gi' },
        clusterDNS: ['10.0.0.1'],
        maxPods: 5,
      },
      '/etc/d/a.conf': { systemReserved: { cpu: '2' }, clusterDNS: ['10.0.0.9'], maxPods: null },
    });
    assert.deepEqual(config.systemReserved, { cpu: '2', memory: '1Gi' });
    assert.deepEqual(config.clusterDNS, ['10.0.0.9']);
    assert.equal(config.maxPods, 110);
  });

  it('drops unknown fields silently and matches names whatever their case', () => {
    const { config, warnings } = load(FILE_AND_DIR, {
      '/etc/k.yaml': OPEN,
      '/etc/d/a.conf': { bogus: 1, podspercore: 7 },
    });
    assert.equal(config.podsPerCore, 7);
    assert.equal(
      warnings.some((notice) => notice.message.includes('bogus')),
      false,
    );
  });

  it('lets the base win over a spelling that sorts before it', () => {
    const files = { '/etc/k.yaml': OPEN, '/etc/d/a.conf': { MaxPods: 7 } };
    assert.equal(load(FILE_AND_DIR, files).config.maxPods, 110);
  });

  it('refuses repeated keys, wrong heads, wrong types and a missing directory', () => {
    const repeated = `apiVersion: ${HEAD.apiVersion}\nkind: ${HEAD.kind}\nmaxPods: 1\nmaxPods: 2\n`;
    assert.deepEqual(
      reject(FILE_AND_DIR, {
        '/etc/k.yaml': OPEN,
        '/etc/d/a.conf': repeated,
        '/etc/d/b.conf': '',
        '/etc/d/c.conf': { port: 'x' },
      }).problems,
      [
        'config file /etc/d/a.conf: line 4: key "maxPods" is repeated',
        'config file /etc/d/b.conf: is empty',
        'config file /etc/d/c.conf: line 1: port "x" must be an integer (int32)',
      ],
    );
    assert.match(
      reject(FILE_AND_DIR, { '/etc/k.yaml': OPEN }).message,
      /^cannot read config directory "\/etc\/d/,
    );
  });

  it('does not recompute defaults that depend on another field', () => {
    const parallel = reject(FILE_AND_DIR, {
      '/etc/k.yaml': OPEN,
      '/etc/d/a.conf': { maxParallelImagePulls: 5 },
    });
    assert.match(parallel.message, /maxParallelImagePulls 5 cannot be larger than 1/);
    const frequency = load(FILE_AND_DIR, {
      '/etc/k.yaml': OPEN,
      '/etc/d/a.conf': { nodeStatusUpdateFrequency: '7s' },
    });
    assert.equal(frequency.config.nodeStatusReportFrequency, '5m0s');
  });

  it('keeps the older open defaults when there is no file, and adds no thresholds', () => {
    const { config } = load(['--config-dir=/etc/d'], { '/etc/d/a.conf': { maxPods: 7 } });
    assert.deepEqual(
      [config.maxPods, config.authorization.mode, config.readOnlyPort],
      [7, 'AlwaysAllow', 10255],
    );
    assert.deepEqual(config.evictionHard, {});
  });

  it('does not resolve relative paths', () => {
    const files = { '/etc/k.yaml': OPEN, '/etc/d/a.conf': { staticPodPath: 'pods' } };
    assert.equal(load(FILE_AND_DIR, files).config.staticPodPath, 'pods');
  });

  it('exits 2 for a bad gate', () => {
    assert.equal(
      reject(FILE_AND_DIR, { '/etc/k.yaml': OPEN, '/etc/d/a.conf': { featureGates: { Nope: true } } })
        .exitCode,
      2,
    );
  });
});

describe('loadConfiguration warnings', () => {
  it('names once every setting that has no effect yet, wherever it was set, and no other', () => {
    const findings = new LoadFindings();
    const set = ['kernelMemcgNotification', 'staticPodPath', 'logging.verbosity'] as const;
    const honoured = {
      fields: new Set<ConfigPath>(['staticPodPath', 'logging.verbosity']),
      flags: new Set<keyof ProcessFlags>(['config']),
    };
    warnAboutUnhonoured(set, ['config', 'housekeeping-interval'], findings, honoured);
    assert.deepEqual(
      findings.notices.map(({ kind, message }) => [kind, message]),
      [
        [
          'not-honoured',
          'these settings are accepted but have no effect yet: kernelMemcgNotification, --housekeeping-interval',
        ],
      ],
    );
  });

  it('warns about a content type that is not spoken, and not about the usual ones', () => {
    const about = (type: string): string[] =>
      load([`--kube-api-content-type=${type}`])
        .warnings.filter(({ kind }) => kind === 'ignored-value' || kind === 'not-honoured')
        .map(({ message }) => message);
    assert.deepEqual(about('application/json'), []);
    assert.deepEqual(about('application/vnd.kubernetes.protobuf'), []);
    assert.deepEqual(about('application/cbor'), [
      'ignoring "application/cbor" in contentType: calls of the API server are in JSON',
    ]);
  });

  it('is silent about unset fields', () => {
    assert.deepEqual(load([]).warnings, []);
  });

  it('warns about deprecated gates and values that are left out', () => {
    const { warnings } = load(['--feature-gates=NodeSwap=true', '--cluster-dns=dns.local', '--node-ip=junk']);
    assert.deepEqual(
      warnings
        .filter((notice) => ['feature-gate', 'ignored-value'].includes(notice.kind))
        .map((notice) => notice.message),
      [
        'setting GA feature gate NodeSwap=true: it will be removed in a future release',
        'ignoring "junk" in --node-ip: not an IP address',
        'ignoring "dns.local" in clusterDNS: not an IP address',
      ],
    );
  });
});

describe('precedence', () => {
  /** Flags whose field takes any of three values without breaking a rule. */
  const VALUES: Readonly<Record<string, readonly [string, string, string]>> = {
    'max-pods': ['11', '12', '13'],
    'pods-per-core': ['1', '2', '3'],
    port: ['1001', '1002', '1003'],
    'read-only-port': ['1001', '1002', '1003'],
    'healthz-port': ['1001', '1002', '1003'],
    'registry-qps': ['1', '2', '3'],
    'event-burst': ['1', '2', '3'],
    'max-open-files': ['1', '2', '3'],
    'image-gc-high-threshold': ['91', '92', '93'],
    'sync-frequency': ['1s', '2s', '3s'],
    'runtime-request-timeout': ['1s', '2s', '3s'],
    'cpu-cfs-quota-period': ['1ms', '2ms', '3ms'],
    'cluster-domain': ['a', 'b', 'c'],
    'resolv-conf': ['/a', '/b', '/c'],
    'cgroup-root': ['/a', '/b', '/c'],
    'client-ca-file': ['/a', '/b', '/c'],
    'hairpin-mode': ['hairpin-veth', 'none', 'promiscuous-bridge'],
    v: ['1', '2', '3'],
    'log-flush-frequency': ['1s', '2s', '3s'],
    'container-log-max-size': ['1Mi', '2Mi', '3Mi'],
    'provider-id': ['a', 'b', 'c'],
  };

  it('is flags over drop-ins over file over defaults, for any field and any subset of sources', () => {
    const defaults = load(FILE, { '/etc/k.yaml': OPEN }).config;
    const subsets = Array.from({ length: 8 }, (_, bits) => [1, 2, 4].map((bit) => (bits & bit) !== 0));
    for (const [name, [fromFile, fromDropIn, fromArgv]] of Object.entries(VALUES)) {
      const path = CONFIG_FLAGS.find(([candidate]) => candidate === name)![1];
      const baseline = valueAt(defaults, path);
      const typed = (text: string): JsonValue => (typeof baseline === 'number' ? Number(text) : text);
      for (const [inFile, inDropIn, onArgv] of subsets) {
        const argv = [...FILE_AND_DIR, ...(onArgv ? [`--${name}=${fromArgv}`] : [])];
        const { config } = load(argv, {
          '/etc/k.yaml': inFile ? withValueAt(OPEN, path, typed(fromFile)) : OPEN,
          '/etc/d/a.conf': inDropIn ? withValueAt({}, path, typed(fromDropIn)) : {},
        });
        const winner = onArgv ? fromArgv : inDropIn ? fromDropIn : inFile ? fromFile : undefined;
        const expected = winner === undefined ? baseline : typed(winner);
        assert.equal(valueAt(config, path), expected, `${name}: ${inFile}, ${inDropIn}, ${onArgv}`);
      }
    }
  });
});
