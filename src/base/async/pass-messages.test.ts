import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { passMessages } from './pass-messages.ts';

class Source extends EventEmitter {
  readonly calls: string[] = [];

  pause(): void {
    this.calls.push('pause');
  }

  resume(): void {
    this.calls.push('resume');
  }
}

describe('passMessages', () => {
  it('passes messages in order, one at a time, and reads on after the last', async () => {
    const source = new Source();
    const seen: string[] = [];
    let end = (): void => {};
    const passed = passMessages<string>(
      source,
      async (message) => {
        seen.push(`${message} begins`);
        await Promise.resolve();
        seen.push(`${message} ends`);
      },
      (ended) => {
        end = ended;
      },
    );
    source.emit('message', 'a');
    source.emit('message', 'b');
    end();
    await passed;
    assert.deepEqual(seen, ['a begins', 'a ends', 'b begins', 'b ends']);
    assert.deepEqual(source.calls, ['pause', 'pause', 'resume']);
  });

  it('rejects with the failure of a message, passes none after it and reads no more', async () => {
    const source = new Source();
    const seen: string[] = [];
    const passed = passMessages<string>(
      source,
      async (message) => {
        seen.push(message);
        throw new Error('refused');
      },
      () => {},
    );
    source.emit('message', 'a');
    source.emit('message', 'b');
    await assert.rejects(passed, /refused/);
    assert.deepEqual(seen, ['a']);
    assert.deepEqual(source.calls, ['pause', 'pause']);
  });
});
