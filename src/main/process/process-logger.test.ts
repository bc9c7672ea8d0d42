import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { LoggingConfiguration } from '../config/kubelet-configuration.ts';
import { createProcessLogger } from './process-logger.ts';

/** What four lines of each kind write where. */
function write(t: TestContext, format: 'text' | 'json', splitStream: boolean, verbosity = 2) {
  const written = { stdout: [] as string[], stderr: [] as string[] };
  for (const stream of ['stdout', 'stderr'] as const)
    t.mock.method(process[stream], 'write', (chunk: string) => written[stream].push(chunk) > 0);
  try {
    const options = { text: { splitStream }, json: { splitStream } };
    const logger = createProcessLogger({ format, verbosity, options } as unknown as LoggingConfiguration);
    logger.info('one', { a: 1 });
    logger.error('two', new Error('why'));
    logger.debug(2, 'three');
    logger.debug(3, 'four');
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
    const options = { text: { splitStream: false }, json: { splitStream: false } };
    const config = { format: 'json', verbosity: 0, options } as unknown as LoggingConfiguration;
    const logger = createProcessLogger(config);
    const child = logger.with({ a: 1 });
    child.debug(3, 'before');
    logger.setVerbosity(3);
    child.debug(3, 'between');
    logger.setVerbosity(0);
    logger.debug(3, 'after');
    t.mock.restoreAll();
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).msg),
      ['between'],
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
