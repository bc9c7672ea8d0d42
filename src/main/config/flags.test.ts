import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONFIG_FLAGS } from './config-flags.ts';
import { ALL_FLAGS } from './flag-table.ts';
import { parseFlags } from './flags.ts';
import { renderFlags } from './render-flags.ts';

describe('parseFlags', () => {
  for (const argv of [['-v', '4'], ['-v4'], ['-v=4'], ['--v=4'], ['--v', '4']]) {
    it(`reads verbosity from ${argv.join(' ')}`, () => {
      const parsed = parseFlags(argv);
      assert.equal(parsed.configValues.get('logging.verbosity'), 4);
      assert.deepEqual([parsed.problems, parsed.positionals, parsed.deprecations], [[], [], []]);
    });
  }

  it('accepts --name=value, --name value and underscores in names', () => {
    const parsed = parseFlags(['--root-dir=/a', '--cert_dir', '/b', '--max_pods=7']);
    assert.equal(parsed.process.rootDir, '/a');
    assert.equal(parsed.process.certDir, '/b');
    assert.equal(parsed.configValues.get('maxPods'), 7);
  });

  it('never lets a bool take the next word', () => {
    const parsed = parseFlags(['--register-node', 'false']);
    assert.equal(parsed.configValues.get('registerNode'), true);
    assert.deepEqual(parsed.positionals, ['false']);
    assert.equal(parseFlags(['--register-node=false']).configValues.get('registerNode'), false);
  });

  it('ends flags at --', () => {
    assert.deepEqual(parseFlags(['--', '--port=1']).positionals, ['--port=1']);
  });

  it('takes the last of repeated scalars and gathers repeated maps', () => {
    const parsed = parseFlags([
      '--port=1',
      '--port=2',
      '--system-reserved=cpu=1',
      '--system-reserved=memory=2Gi',
    ]);
    assert.equal(parsed.configValues.get('port'), 2);
    assert.deepEqual(parsed.configValues.get('systemReserved'), { cpu: '1', memory: '2Gi' });
  });

  it('treats an empty IP as not given', () => {
    assert.equal(parseFlags(['--address=']).configValues.has('address'), false);
  });

  const bad: ReadonlyArray<readonly [argv: readonly string[], problem: string]> = [
    [['--bogus'], 'unknown flag: --bogus'],
    [['--max_pod=1'], 'unknown flag: --max_pod (did you mean --max-pods?)'],
    [['--log-dir=/x'], 'unknown flag: --log-dir'],
    [['-z'], "unknown shorthand flag: 'z' in -z"],
    [['-hz'], "unknown shorthand flag: 'z' in -z"],
    [['--config'], 'flag needs an argument: --config'],
    [['-v'], "flag needs an argument: 'v' in -v"],
    [['--=x'], 'bad flag syntax: --=x'],
    [['---x'], 'bad flag syntax: ---x'],
    [
      ['--container-runtime=remote'],
      'unknown flag: --container-runtime (removed in 1.27; leave it out, and use --container-runtime-endpoint)',
    ],
    [
      ['--network_plugin=cni'],
      'unknown flag: --network_plugin (removed in 1.24 with the Docker runtime; the container runtime has a setting of its own for it)',
    ],
    [['-v=x'], 'invalid argument "x" for "-v, --v" flag: want an integer from 0 to 4294967295'],
    [['--port=x'], 'invalid argument "x" for "--port" flag: want an integer from -2147483648 to 2147483647'],
    [
      ['--manifest-url-header=s3cret'],
      'invalid argument "***" for "--manifest-url-header" flag: malformed pair: want Name:value',
    ],
  ];
  for (const [argv, problem] of bad) {
    it(`refuses ${argv.join(' ')}`, () => {
      assert.deepEqual(parseFlags(argv).problems, [problem]);
    });
  }

  it('reports every bad flag, not only the first', () => {
    assert.equal(parseFlags(['--bogus', '--port=x', '--max-pods=y']).problems.length, 3);
  });

  it('warns once per deprecated flag and not about the kept ones', () => {
    const { deprecations } = parseFlags([
      '--port=1',
      '--port=2',
      '--provider-id=x',
      '--vmodule=a=1',
      '--containerd=x',
    ]);
    assert.equal(deprecations.length, 2);
    assert.match(
      deprecations[0]!,
      /^Flag --port has been deprecated, This parameter should be set via the config file/,
    );
    assert.match(deprecations[1]!, /^Flag --containerd has been deprecated, This is a cadvisor flag/);
  });

  it('recognises help and version', () => {
    assert.equal(parseFlags(['-h']).help, true);
    assert.equal(parseFlags(['--help=false']).help, false);
    assert.equal(parseFlags(['--version']).version, 'true');
    assert.equal(parseFlags(['--version=raw']).version, 'raw');
    assert.equal(parseFlags([]).version, undefined);
  });
});

describe('ALL_FLAGS', () => {
  it('has unique names and the legacy defaults', () => {
    const names = ALL_FLAGS.map((flag) => flag.name);
    assert.equal(new Set(names).size, names.length);
    const defaults = Object.fromEntries(ALL_FLAGS.map((flag) => [flag.name, flag.default]));
    assert.equal(defaults['anonymous-auth'], true);
    assert.equal(defaults['authentication-token-webhook'], false);
    assert.equal(defaults['authorization-mode'], 'AlwaysAllow');
    assert.equal(defaults['read-only-port'], 10255);
    assert.equal(defaults['root-dir'], '/var/lib/kubelet');
  });

  it('maps every configuration flag to a different field', () => {
    assert.equal(new Set(CONFIG_FLAGS.map(([, path]) => path)).size, CONFIG_FLAGS.length);
  });
});

describe('renderFlags', () => {
  it('shows every flag with its value and hides header values', () => {
    const lines = renderFlags(
      parseFlags(['--port=7', '--manifest-url-header=Authorization:s3cret', '--node-labels=a=b']),
    );
    assert.equal(lines.length, ALL_FLAGS.length);
    assert.ok(lines.includes('--port="7"'));
    assert.ok(lines.includes('--node-labels="a=b"'));
    assert.ok(lines.includes('--cluster-dns="[]"'));
    assert.ok(lines.includes('--manifest-url-header="Authorization:<masked>"'));
    assert.ok(!lines.join().includes('s3cret'));
  });
});
