import assert from 'node:assert/strict';
import { fstatSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import type { LoggingConfiguration } from '../config/kubelet-configuration.ts';
import type { Duration } from '../config/parse-duration.ts';
import { createProcessLogger } from './process-logger.ts';

function toConfig(
  format: 'text' | 'json',
  splitStream: boolean,
  verbosity: number,
  {
    infoBufferSize = '0',
    vmodule = [],
  }: Partial<Pick<LoggingConfiguration, 'vmodule'>> & {
    readonly infoBufferSize?: string;
  },
): LoggingConfiguration {
  const stream = { splitStream, infoBufferSize };
  return {
    format,
    verbosity,
    vmodule,
    flushFrequency: '5s' as Duration,
    options: { text: stream, json: stream },
  };
}

/** What four lines of each kind write where. */
function write(
  t: TestContext,
  format: 'text' | 'json',
  splitStream: boolean,
  verbosity = 2,
  more: { readonly infoBufferSize?: string; readonly vmodule?: LoggingConfiguration['vmodule'] } = {},
) {
  const written = { stdout: [] as string[], stderr: [] as string[] };
  for (const stream of ['stdout', 'stderr'] as const)
    t.mock.method(process[stream], 'write', (chunk: string) => written[stream].push(chunk) > 0);
  try {
    const logger = createProcessLogger(toConfig(format, splitStream, verbosity, more));
    logger.info('one', { a: 1 });
    logger.error('two', new Error('why'));
    logger.debug({ file: 'some-file', level: 2 }, 'three');
    logger.debug({ file: 'some-file', level: 3 }, 'four');
  } finally {
    t.mock.restoreAll();
  }
  return written;
}

describe('createProcessLogger', () => {
  it('writes whole lines of text to stderr, up to the verbosity', (t) => {
    const { stdout, stderr } = write(t, 'text', false);
    assert.deepEqual(stdout, []);
    assert.equal(stderr.length, 3);
    assert.match(stderr[0] ?? '', /^I\d{4} .* "one" a=1\n$/);
    assert.match(stderr[1] ?? '', /^E\d{4} .* "two" err="why"\n$/);
  });

  it('writes JSON when asked to', (t) => {
    const { stderr } = write(t, 'json', false);
    assert.deepEqual(
      stderr.map((line) => JSON.parse(line).msg),
      ['one', 'two', 'three'],
    );
  });

  it('changes its verbosity while it runs, together with every logger derived from it', (t) => {
    const lines: string[] = [];
    t.mock.method(process.stderr, 'write', (chunk: string) => lines.push(chunk) > 0);
    const logger = createProcessLogger(toConfig('json', false, 0, {}));
    const child = logger.with({ a: 1 });
    child.debug({ file: 'some-file', level: 3 }, 'before');
    logger.setVerbosity(3);
    child.debug({ file: 'some-file', level: 3 }, 'between');
    logger.setVerbosity(0);
    logger.debug({ file: 'some-file', level: 3 }, 'after');
    t.mock.restoreAll();
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      ['between'],
    );
  });

  it('shows lines of a file that has a verbosity of its own', (t) => {
    const shown = (filePattern: string): number =>
      write(t, 'text', false, 0, { vmodule: [{ filePattern, verbosity: 3 }] }).stderr.length;
    assert.equal(shown('some-*'), 4);
    assert.equal(shown('other'), 2);
  });

  it('writes the file of a line that has a level', (t) => {
    assert.match(write(t, 'text', false).stderr[2] ?? '', / some-file\] "three"/);
  });

  it('keeps lines of a split stdout in the buffer until it is full or flushed', (t) => {
    const chunks: string[] = [];
    t.mock.method(process.stdout, 'write', (chunk: string) => chunks.push(chunk) > 0);
    const errors: string[] = [];
    t.mock.method(process.stderr, 'write', (chunk: string) => errors.push(chunk) > 0);
    const logger = createProcessLogger(toConfig('text', true, 0, { infoBufferSize: '1Ki' }));
    logger.info('first');
    logger.warn('at once');
    assert.deepEqual([chunks.length, errors.length], [0, 1]);
    logger.info('second');
    logger.flush();
    t.mock.restoreAll();
    assert.equal(chunks.length, 1);
    assert.match(chunks[0] ?? '', /"first"\n.*"second"\n$/);
  });

  for (const format of ['text', 'json'] as const)
    it(`gives lines of ${format} their priority where stderr is the journal`, (t) => {
      const lines: string[] = [];
      t.mock.method(process.stderr, 'write', (chunk: string) => lines.push(chunk) > 0);
      const { dev, ino } = fstatSync(2);
      const logger = createProcessLogger(toConfig(format, false, 0, {}), undefined, `${dev}:${ino}`);
      logger.info('one');
      logger.warn('two');
      logger.error('three', new Error('why'));
      t.mock.restoreAll();
      assert.deepEqual(
        lines.map((line) => line.slice(0, 4)),
        format === 'json' ? ['<6>{', '<4>{', '<3>{'] : ['<6>I', '<4>W', '<3>E'],
      );
    });

  for (const format of ['text', 'json'] as const) {
    it(`splits ${format} between stdout and stderr when asked to`, (t) => {
      const { stdout, stderr } = write(t, format, true, 0);
      assert.deepEqual([stdout.length, stderr.length], [1, 1]);
      assert.match(stdout[0] ?? '', /one/);
      assert.match(stderr[0] ?? '', /two/);
    });
  }
});
