import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { useCliKubelet } from '../../../test/fakes/cli-kubelet.ts';
import { CLI_NOW_MS, cliPod } from '../../../test/samples/sample-cli-node.ts';
import { withDeletion } from '../../core/status/with-deletion.ts';

describe('watches on the command line', () => {
  const kubelet = useCliKubelet();

  it('follows changes until it is stopped', async () => {
    const stop = new AbortController();
    let seen = 0;
    const { code, out } = await kubelet.run('get pods -w', {
      signal: stop.signal,
      onOutput: (text) => {
        if (seen === 0 && text.includes('web-n1')) {
          seen = 1;
          kubelet.pods = [];
          kubelet.changed();
        }
        if (text.includes('Deleted')) stop.abort();
      },
    });
    assert.equal(code, 0);
    assert.match(out, /^NAME +READY .*\nweb-n1 +2\/2 +Running .*\nweb-n1 +2\/2 +Deleted /);
  });

  it('keeps the columns of a watch in place and shows when a deletion begins', async () => {
    const long = cliPod('default', 'a-name-that-is-longer-than-most-names-of-pods');
    kubelet.pods = [cliPod('default', 'web'), long];
    const stop = new AbortController();
    let seen = 0;
    const { out } = await kubelet.run('get pods -w', {
      signal: stop.signal,
      onOutput: (text) => {
        if (seen === 0 && text.split('\n').length === 4) {
          seen = 1;
          kubelet.pods = [
            withDeletion(cliPod('default', 'web'), {
              cause: 'removed',
              requestedAtMs: CLI_NOW_MS,
              graceSeconds: 30,
            }),
            long,
          ];
          kubelet.changed();
        }
        if (text.includes('Terminating')) stop.abort();
      },
    });
    const rows = out.trimEnd().split('\n');
    assert.match(rows[3] ?? '', /^web-n1 +2\/2 +Terminating +0 +60s$/);
    const columns = rows.map((row) => row.search(/READY|2\/2/));
    assert.equal(new Set(columns).size, 1, out);
  });

  it('parts the documents of a watch', async () => {
    kubelet.pods = [cliPod('default', 'a'), cliPod('default', 'b')];
    const stop = new AbortController();
    const { out } = await kubelet.run('get pods -w -o yaml', {
      signal: stop.signal,
      onOutput: (text) => {
        if (text.includes('uid-b')) stop.abort();
      },
    });
    assert.equal(out.match(/^---\napiVersion: v1$/gm)?.length, 2);
  });

  it('reports when the agent ends a watch, and prints no titles when the kubelet does not run', async () => {
    const other = await mkdtemp(join(tmpdir(), 'kts-'));
    const socketPath = join(other, 'k.sock');
    const brief = createServer(
      ({ url }, response) => void response.end(url?.includes('watch') ? '' : '{"items":[]}'),
    ).listen(socketPath);
    await once(brief, 'listening');
    for (const text of ['get pods -w', 'events -w']) {
      const { code, out, err } = await kubelet.run(`${text} --socket ${socketPath}`);
      assert.deepEqual([code, err], [1, 'error: the kubelet has ended the watch: it stops or restarts\n']);
      assert.match(out, /^[A-Z ]+\n$/);
      const none = await kubelet.run(`${text} --socket ${socketPath}.not`);
      assert.deepEqual([none.code, none.out], [1, '']);
    }
    await new Promise((resolve) => brief.close(resolve));
    await rm(other, { recursive: true });
  });
});
