import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { useCliKubelet } from '../../../test/fakes/cli-kubelet.ts';
import { CLI_NOW_MS, cliPod } from '../../../test/samples/sample-cli-node.ts';
import { withDeletion } from '../../core/status/with-deletion.ts';
import { runCli } from './run-cli.ts';

describe('runCli', () => {
  const kubelet = useCliKubelet();

  it('leaves words that are no sub-command to the agent', async () => {
    assert.equal((await kubelet.run('walk')).code, undefined);
  });

  it('prints completions and the manual page without asking a kubelet', async () => {
    const bash = await kubelet.run('completion bash --socket=/nowhere');
    assert.deepEqual([bash.code, bash.err], [0, '']);
    assert.match(bash.out, /^complete .*-F _kubelet kubelet$/m);
    assert.match((await kubelet.run('man')).out, /^\.TH KUBELET 1 /);
  });

  it('prints help', async () => {
    const { code, out } = await kubelet.run('logs --help');
    assert.equal(code, 0);
    assert.match(out, /^Print .*\n\nUsage:\n {2}kubelet logs POD/);
  });

  it('takes flags before the verb, the environment, and the only kubelet that runs', async () => {
    const stdout = new PassThrough();
    const stdin = new PassThrough();
    const base = {
      stdin,
      stdout,
      stderr: stdout,
      now: () => CLI_NOW_MS,
      signal: new AbortController().signal,
    };
    const none = { ...base, env: {}, findRunning: async () => [], listProcesses: async () => [] };
    assert.equal(await runCli(['--root-dir', kubelet.rootDir, 'get', 'pods'], none), 0);
    assert.equal(await runCli(['get', 'pods'], { ...none, env: { KUBELET_ROOT_DIR: kubelet.rootDir } }), 0);
    assert.equal(await runCli(['get', 'pods'], { ...none, findRunning: async () => [kubelet.rootDir] }), 0);
    assert.equal(await runCli(['get', 'pods'], { ...none, findRunning: async () => ['/a', '/b'] }), 1);
  });

  it('names the socket when no kubelet listens', async () => {
    const { code, err } = await kubelet.run('get pods --socket /nonexistent/kubelet.sock');
    assert.equal(code, 1);
    assert.match(err, /^error: no kubelet listens on "\/nonexistent\/kubelet\.sock": is the kubelet running/);
  });

  it('fails with 1 for a pod that is not there and with 2 for a command line that is none', async () => {
    assert.deepEqual(await kubelet.run('explain nope'), {
      code: 1,
      out: '',
      err: 'error: pods "nope" not found on this node\n',
    });
    assert.deepEqual(await kubelet.run('get services'), {
      code: 2,
      out: '',
      err: `error: only pods, events, resources, images, volumes, nodes, configmaps and secrets can be listed, not "services"\nSee 'kubelet get --help' for usage.\n`,
    });
    assert.equal((await kubelet.run('port-forward web http')).code, 2);
  });

  it('guesses which pod was meant', async () => {
    assert.equal(
      (await kubelet.run('logs wib')).err,
      'error: pods "wib" not found on this node (did you mean web?)\n',
    );
    assert.match((await kubelet.run('logs dns-n2')).err, /\(did you mean dns-n1\?\)/);
  });

  it('takes a UID, and after an edit the new pod', async () => {
    const old = cliPod('default', 'web');
    const going = withDeletion(
      { ...old, metadata: { ...old.metadata, uid: 'uid-old' } },
      { cause: 'removed', requestedAtMs: CLI_NOW_MS },
    );
    kubelet.pods = [cliPod('default', 'web'), going];
    const uidOf = async (name: string): Promise<string> =>
      (JSON.parse((await kubelet.run(`explain ${name} -o json`)).out) as { uid: string }).uid;
    assert.equal(await uidOf('web'), 'uid-web');
    assert.equal(await uidOf('uid-old'), 'uid-old');
    assert.equal((await kubelet.run('logs web -c main')).out, 'line of /logs/main-1\n');
  });

  it('passes on what the agent refuses', async () => {
    const { code, err } = await kubelet.run('logs web -c main -p');
    assert.equal(code, 1);
    assert.match(err, /^error: previous terminated container "main" in pod "web-n1" not found\n$/);
    const exec = await kubelet.run('exec web -c side -- ls');
    assert.equal(exec.code, 1);
    assert.match(exec.err, /^error: container not found \("side"\)\n$/);
  });

  it('answers words of kubectl with what to do instead', async () => {
    const apply = await kubelet.run('apply -f web.yaml');
    assert.equal(apply.code, 1);
    assert.match(
      apply.err,
      /^kubelet apply: .* manifest directory: drop the file there.*\n {2}cp web\.yaml \/etc\/manifests\/\n$/,
    );
    assert.match(
      (await kubelet.run('delete pod web')).err,
      /^kubelet delete: pod "web-n1" is there as long as .* remove the file, or its document, from \/etc\/manifests\/\n$/,
    );
    assert.match((await kubelet.run('delete nope')).err, /^error: pods "nope" not found/);
    assert.match((await kubelet.run('help')).out, /^The kubelet is the node agent/);
    assert.match((await kubelet.run('version')).out, /^Kubernetes v1\.36/);
  });

  it('validates manifests without a kubelet', async () => {
    const good = join(kubelet.rootDir, 'good.yaml');
    const bad = join(kubelet.rootDir, 'bad.yaml');
    const manifest = (field: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: a, ${field}: x }] }\n`;
    await writeFile(good, manifest('image'));
    await writeFile(bad, manifest('imag'));
    assert.deepEqual(await kubelet.run(`validate -f ${good}`), {
      code: 0,
      out: `${good}: Pod default/web is valid\n`,
      err: '',
    });
    const both = await kubelet.run(`validate ${good} ${bad} ${bad}.not`);
    assert.equal(both.code, 1);
    assert.match(both.err, /bad\.yaml:4: spec\.containers\[0\]\.imag: unknown field[\s\S]*bad\.yaml\.not: /);
    assert.equal((await kubelet.run('validate')).code, 2);
  });
});
