import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { notifySystemd } from './systemd-notifier.ts';

const directory = mkdtempSync(join(tmpdir(), 'notify-'));
after(() => rmSync(directory, { recursive: true }));

describe('notifySystemd', () => {
  it('hands the words and the socket to the program of systemd, or says why not', async () => {
    const program = join(directory, 'systemd-notify');
    writeFileSync(program, `#!/bin/sh\necho "$NOTIFY_SOCKET $@" > ${directory}/sent\n`);
    chmodSync(program, 0o755);
    await notifySystemd('READY=1', '/run/systemd/notify', { program });
    assert.equal(readFileSync(join(directory, 'sent'), 'utf8'), '/run/systemd/notify READY=1\n');
    await assert.rejects(
      notifySystemd('READY=1', '/s', { program: join(directory, 'none') }),
      /^AgentError: cannot notify systemd of "READY=1": /,
    );
  });
});
