import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { Scope } from './scope.ts';

describe('Scope', () => {
  afterEach(() => assert.deepEqual(Scope.openNames(), []));

  const never = (): never => assert.fail('must not be called');

  it('releases newest first and one after the other', async () => {
    const scope = Scope.root('s');
    const steps: string[] = [];
    scope.defer(() => void steps.push('first'));
    scope.defer(async () => {
      await Promise.resolve();
      steps.push('second');
    });
    scope.use({ [Symbol.dispose]: () => void steps.push('third') });
    await scope.close();
    assert.deepEqual(steps, ['third', 'second', 'first']);
  });

  it('aborts its signal before the first release, synchronously with close', async () => {
    const scope = Scope.root('s');
    let abortedAtRelease: boolean | undefined;
    scope.defer(() => {
      abortedAtRelease = scope.signal.aborted;
    });
    assert.equal(scope.signal.aborted, false);
    const closed = scope.close();
    assert.equal(scope.signal.aborted, true);
    await closed;
    assert.equal(abortedAtRelease, true);
  });

  it('closes children before what was registered earlier in the parent', async () => {
    const steps: string[] = [];
    const parent = Scope.root('p');
    parent.defer(() => void steps.push('parent'));
    const child = parent.child('c');
    child.defer(() => void steps.push('child'));
    assert.deepEqual(Scope.openNames(), ['p', 'p/c']);
    await parent.close();
    assert.deepEqual(steps, ['child', 'parent']);
    assert.equal(child.signal.aborted, true);
  });

  it('a child closed by itself is not closed again by its parent', async () => {
    const parent = Scope.root('p');
    let releases = 0;
    const child = parent.child('c');
    child.defer(() => void releases++);
    await child.close();
    assert.deepEqual(Scope.openNames(), ['p']);
    assert.equal(parent.signal.aborted, false);
    await parent.close();
    assert.equal(releases, 1);
  });

  it('runs the same function as often as it was deferred', async () => {
    const scope = Scope.root('s');
    let calls = 0;
    const release = (): void => void calls++;
    scope.defer(release);
    scope.defer(release);
    await scope.close();
    assert.equal(calls, 2);
  });

  it('runs every release once when an abort listener or a release closes again', async () => {
    const scope = Scope.root('s');
    let releases = 0;
    scope.signal.addEventListener('abort', () => void scope.close());
    scope.defer(() => {
      releases++;
      void scope.close();
    });
    await Promise.all([scope.close(), scope.close()]);
    assert.equal(releases, 1);
  });

  it('waits for work that is deferred while it closes', async () => {
    const scope = Scope.root('s');
    const steps: string[] = [];
    const late = Promise.withResolvers<void>();
    scope.defer(() => {
      // The very first release, still inside the call of close().
      scope.defer(async () => {
        await late.promise;
        steps.push('late');
      });
    });
    const closed = scope.close().then(() => steps.push('closed'));
    late.resolve();
    await closed;
    assert.deepEqual(steps, ['late', 'closed']);
  });

  it('a child made while closing is closed at once', async () => {
    const scope = Scope.root('s');
    let child: Scope | undefined;
    scope.defer(() => {
      child = scope.child('late');
    });
    await scope.close();
    assert.equal(child?.signal.aborted, true);
  });

  it('tries everything and then reports all failures', async () => {
    const scope = Scope.root('s');
    let reached = false;
    scope.defer(() => {
      reached = true;
    });
    scope.defer(() => {
      throw new Error('one');
    });
    scope.defer(() => {
      scope.defer(() => Promise.reject(new Error('late')));
      return Promise.reject(new Error('two'));
    });
    await assert.rejects(scope.close(), (error) => {
      assert.ok(error instanceof AggregateError);
      assert.deepEqual(
        error.errors.map((e: Error) => e.message),
        ['two', 'one', 'late'],
      );
      return true;
    });
    assert.equal(reached, true);
  });

  it('run hands failures to onError, also those thrown before the first await', async () => {
    const scope = Scope.root('s');
    const errors: unknown[] = [];
    scope.run(
      () => {
        throw new Error('at once');
      },
      (error) => errors.push((error as Error).message),
    );
    scope.run(
      async () => {
        await Promise.resolve();
        throw new Error('later');
      },
      (error) => errors.push((error as Error).message),
    );
    await scope.close();
    assert.deepEqual(errors.toSorted(), ['at once', 'later']);
  });

  it('close waits for a running loop, which gets the stop signal', async () => {
    const scope = Scope.root('s');
    let ended = false;
    scope.run(async (stop) => {
      await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));
      for (let i = 0; i < 20; i++) await Promise.resolve();
      ended = true;
    }, never);
    await scope.close();
    assert.equal(ended, true);
  });
});
