/** Listens out here for what pods inside say: what they had on their disks, and what they have made safe there. */
import { createServer, type Server } from 'node:net';

export class Witness implements Disposable {
  readonly #server: Server;
  readonly #kept = new Map<string, number>();
  readonly #found = new Map<string, number[]>();

  constructor() {
    this.#server = createServer((socket) => {
      let text = '';
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.on('close', () => {
        for (const line of text.split('\n')) this.#take(line);
      });
    });
  }

  /** Resolves to the port. */
  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  [Symbol.dispose](): void {
    this.#server.close();
  }

  /** The highest number that the pod has said to be on its disk. */
  kept(name: string): number {
    return this.#kept.get(name) ?? 0;
  }

  /** What each instance of the pod found on its disk when it began. */
  found(name: string): readonly number[] {
    return this.#found.get(name) ?? [];
  }

  #take(line: string): void {
    const [verb, name, number] = line.split(' ');
    if (name === undefined || number === undefined) return;
    if (verb === 'kept') this.#kept.set(name, Math.max(this.kept(name), Number(number)));
    if (verb === 'found') this.#found.set(name, [...this.found(name), Number(number)]);
  }
}

/** Counts on its disk, each number made safe there before it is said; begins with what it found. */
export function countingScript(name: string, host: string, port: number): string {
  const say = `nc ${host} ${port}`;
  return [
    'n=$(tail -n 1 /data/numbers 2>/dev/null); [ -n "$n" ] || n=0',
    `until echo "found ${name} $n" | ${say}; do sleep 1; done`,
    'while :; do n=$((n + 1))',
    'echo $n | dd of=/data/numbers oflag=append conv=notrunc,fsync 2>/dev/null || exit 1',
    `echo "kept ${name} $n" | ${say}`,
    'sleep 0.2; done',
  ].join('\n');
}
