/** What a gRPC server costs without callers; calls are tested with other peers in test/oracle. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** In a process of its own: this one has loaded much already. */
const PROGRAM = `
  import { connect } from 'node:net';
  import { SystemClock } from './src/adapters/linux/machine/system-clock.ts';
  import { GrpcServer } from './src/adapters/grpc/grpc-server.ts';
  const logger = { error() {}, warn() {}, info() {}, debug() {} };
  const server = new GrpcServer({ clock: new SystemClock(), logger, methods: new Map(), callTimeoutMs: 1000 });
  const path = process.argv[1];
  await server.listen(path, 0o700, () => {});
  const hasProtocol = () => process.moduleLoadList.includes('NativeModule http2');
  const seen = [hasProtocol()];
  const caller = connect(path);
  await new Promise((resolve) => caller.once('data', resolve));
  seen.push(hasProtocol());
  caller.destroy();
  await server.close();
  console.log(JSON.stringify(seen));
`;

describe('a gRPC server', () => {
  it('loads HTTP/2 with its first caller, and ends with all it has', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'grpc-'));
    try {
      const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', PROGRAM];
      const cwd = join(import.meta.dirname, '../../..');
      const { stdout } = await run(process.execPath, [...options, join(directory, 's')], {
        cwd,
        timeout: 60_000,
      });
      assert.deepEqual(JSON.parse(stdout), [false, true]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
