import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { FakeClock } from '../../../../test/fakes/fake-clock.ts';
import { findHeldLock, hasWaiter, parseLockPlace, waitForContention } from './lock-contention.ts';
import { holdLockFile } from './lock-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'lock-contention-'));
after(() => rmSync(directory, { recursive: true }));

async function withLock(
  name: string,
  body: (path: string, until: () => Promise<string | undefined>, stop: AbortController) => Promise<void>,
): Promise<void> {
  const path = join(directory, name);
  const held = await holdLockFile(path, new AbortController().signal);
  const stop = new AbortController();
  const clock = new FakeClock();
  const lock = await findHeldLock(held, path);
  let isOver = false;
  const waiting = waitForContention(lock, { clock }, stop.signal).finally(() => {
    isOver = true;
  });
  const until = async (): Promise<string | undefined> => {
    while (!isOver) {
      await clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return waiting;
  };
  try {
    await body(path, until, stop);
  } finally {
    stop.abort();
    await waiting;
    await held.close();
  }
}

describe('waitForContention', () => {
  it('sees a process that waits for the lock', () =>
    withLock('wanted', async (path, until) => {
      const second = new AbortController();
      const waiting = holdLockFile(path, second.signal).catch(() => undefined);
      assert.equal(await until(), 'wanted');
      second.abort();
      await waiting;
    }));

  it('sees that the file is gone, or another one', async () => {
    await withLock('removed', async (path, until) => {
      await unlink(path);
      assert.equal(await until(), 'removed');
    });
    await withLock('replaced', async (path, until) => {
      writeFileSync(`${path}.new`, '');
      await rename(`${path}.new`, path);
      assert.equal(await until(), 'removed');
    });
  });

  it('is not disturbed by a process that only reads the file, and ends when stopped', () =>
    withLock('read', async (path, until, stop) => {
      const reader = await open(path, 'r');
      await reader.close();
      stop.abort();
      assert.equal(await until(), undefined);
    }));
});

describe('findHeldLock', () => {
  it('fails where the kernel does not list the lock', async () => {
    const path = join(directory, 'unlocked');
    const handle = await open(path, 'w');
    await assert.rejects(findHeldLock(handle, path), /the kernel does not list its lock/);
    await handle.close();
  });
});

const LOCKS = `1: FLOCK  ADVISORY  WRITE 20793 fe:00:851984 0 EOF
2: FLOCK  ADVISORY  WRITE 11974 fe:00:909327 0 EOF
2: -> FLOCK  ADVISORY  WRITE 11999 fe:00:909327 0 EOF
3: POSIX  ADVISORY  WRITE 26217 fe:00:9996577 0 EOF
3: -> POSIX  ADVISORY  WRITE 26218 fe:00:9996577 0 EOF
`;

describe('hasWaiter', () => {
  it('looks at waiters of that file and kind of lock only', () => {
    assert.equal(hasWaiter(LOCKS, 'fe:00:909327'), true);
    assert.equal(hasWaiter(LOCKS, 'fe:00:851984'), false);
    assert.equal(hasWaiter(LOCKS, 'fe:00:9996577'), false);
    assert.equal(hasWaiter('', 'fe:00:909327'), false);
  });
});

describe('parseLockPlace', () => {
  it('finds the lock of an open file', () => {
    const info = 'pos:\t0\nflags:\t0100001\nino:\t7\nlock:\t1: FLOCK  ADVISORY  WRITE 26331 fe:00:7 0 EOF\n';
    assert.equal(parseLockPlace(info), 'fe:00:7');
    assert.equal(
      parseLockPlace('pos:\t0\nlock:\t1: POSIX  ADVISORY  WRITE 26331 fe:00:7 0 EOF\n'),
      undefined,
    );
  });
});
