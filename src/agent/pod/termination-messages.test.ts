import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeFiles } from '../../../test/fakes/fake-files.ts';
import { exited, instance, observe } from '../../../test/samples/sample-pods.ts';
import {
  TERMINATION_MESSAGE_PATH_ANNOTATION,
  TERMINATION_MESSAGE_POLICY_ANNOTATION,
} from '../../core/model/container-labels.ts';
import { toContainerId } from '../../core/model/ids.ts';
import type { ObservedContainer } from '../../core/model/observed-pod.ts';
import { TerminationMessages } from './termination-messages.ts';

const FILE = '/pods/u/containers/main/1';
const LOG = '/logs/main/0.log';
const ID = toContainerId('main-1');

function ended(exitCode: number, policy = 'FallbackToLogsOnError', reason?: string): ObservedContainer {
  const container = exited('main', exitCode, {
    details: {
      logPath: LOG,
      mounts: [{ containerPath: '/dev/termination-log', hostPath: FILE, readOnly: false }],
      ...(reason === undefined ? {} : { reason }),
    },
  });
  return {
    ...container,
    annotations: {
      [TERMINATION_MESSAGE_PATH_ANNOTATION]: '/dev/termination-log',
      [TERMINATION_MESSAGE_POLICY_ANNOTATION]: policy,
    },
  };
}

async function setUp(texts: { file?: string; log?: string }) {
  const files = new FakeFiles();
  await files.makeDirectory('/pods/u/containers/main', 0o755);
  await files.makeDirectory('/logs/main', 0o755);
  if (texts.file !== undefined) await files.writeFile(FILE, texts.file, 0o644);
  if (texts.log !== undefined)
    await files.writeFile(LOG, `2026-01-02T03:04:05Z stderr F ${texts.log}\n`, 0o644);
  const messages = new TerminationMessages(files);
  const read = async (...containers: ObservedContainer[]) =>
    (await messages.read(observe(containers))).get(ID);
  return { files, messages, read };
}

describe('TerminationMessages', () => {
  const rows: [string, texts: { file?: string; log?: string }, ObservedContainer, string | undefined][] = [
    ['the file wins', { file: 'bye', log: 'oops' }, ended(1), 'bye'],
    ['an empty file of a failure: the log', { file: '', log: 'oops' }, ended(1), 'oops\n'],
    ['a missing file of a failure: the log', { log: 'oops' }, ended(1), 'oops\n'],
    ['a success does not ask the log', { file: '', log: 'fine' }, ended(0), undefined],
    ['the policy File does not either', { file: '', log: 'oops' }, ended(1, 'File'), undefined],
    [
      'nor one that could not run',
      { file: '', log: 'x' },
      ended(1, undefined, 'ContainerCannotRun'),
      undefined,
    ],
    ['nothing anywhere', {}, ended(1), undefined],
    ['only the tail of the file', { file: `${'x'.repeat(5_000)}end` }, ended(1), `${'x'.repeat(4_093)}end`],
  ];
  for (const [what, texts, container, expected] of rows) {
    it(what, async () => {
      const { read } = await setUp(texts);
      assert.equal(await read(container), expected);
    });
  }

  it('a container that has not ended has no last words', async () => {
    const { read } = await setUp({ file: 'early' });
    assert.equal(await read(instance('main', 'running')), undefined);
  });

  it('a link in the place of the file is not followed', async () => {
    const { files, read } = await setUp({ log: 'oops' });
    await files.makeDirectory('/etc', 0o755);
    await files.writeFile('/etc/secret', 'secret', 0o600);
    await files.linkTo('/etc/secret', FILE);
    assert.equal(await read(ended(1, 'File')), undefined);
  });

  it('reads once per container, and again when it was forgotten', async () => {
    const { files, messages, read } = await setUp({ file: 'first' });
    assert.equal(await read(ended(1)), 'first');
    await files.writeFile(FILE, 'second', 0o644);
    assert.equal(await read(ended(1)), 'first');
    messages.forget(ID);
    assert.equal(await read(ended(1)), 'second');
  });

  it('a file or log that cannot be read says so and never rejects', async () => {
    const { files, read } = await setUp({ file: 'bye' });
    files.faults.add({ errno: 'EIO', op: 'readTail', times: 1 });
    assert.match((await read(ended(1))) ?? '', /^Error on reading termination log \/dev\/termination-log: ./);
    const other = await setUp({});
    other.files.faults.add({ errno: 'EIO', under: LOG });
    assert.match((await other.read(ended(1))) ?? '', /^Error on reading termination message from logs: ./);
  });
});
