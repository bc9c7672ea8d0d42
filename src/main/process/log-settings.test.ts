import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textLogger } from '../../../test/fakes/text-logger.ts';
import type { LineLevel } from '../../base/log.ts';
import { loadConfiguration } from '../config/load/load-configuration.ts';
import { logSettings } from './log-settings.ts';

describe('logSettings', () => {
  it('shows every flag and the effective configuration at 5, and no header value', () => {
    const files = { cwd: '/', readFile: () => assert.fail(), readDir: () => assert.fail() };
    const argv = ['--max-pods=7', '--manifest-url=http://x', '--manifest-url-header=Authorization:s3cret'];
    const loaded = loadConfiguration(argv, files);
    assert.ok(loaded.kind === 'loaded');
    const seen: { level: number; text: string }[] = [];
    const logger = {
      ...textLogger(() => {}),
      debug: ({ level }: LineLevel, message: string, fields = {}) =>
        void seen.push({ level, text: `${message} ${JSON.stringify(fields)}` }),
    };
    logSettings(loaded, logger);
    assert.ok(seen.every(({ level }) => level === 5));
    const text = seen.map((line) => line.text).join('\n');
    assert.match(text, /FLAG: --max-pods="7"/);
    assert.match(text, /FLAG: --manifest-url-header="Authorization:<masked>"/);
    assert.match(text, /KubeletConfiguration .*\\"maxPods\\":7/);
    assert.doesNotMatch(text, /s3cret/);
  });
});
