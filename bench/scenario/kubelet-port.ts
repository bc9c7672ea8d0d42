/** The kubelet's own port, as a scraper with the administrator's certificate sees it. */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { join } from 'node:path';

export interface Scraped {
  readonly text: string;
  /** On the wire. */
  readonly bytes: number;
}

const OPERATION = /^kubelet_runtime_operations_total\{[^}]*\} ([\d.e+]+)$/gm;

export class KubeletPort {
  readonly #agent: Agent;
  readonly #port = Number(process.env['KUBELET_PORT'] ?? 10250);

  constructor(pki: string) {
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => readFileSync(join(pki, name)));
    this.#agent = new Agent({ ca, cert, key, keepAlive: false });
  }

  /** Calls to the runtime so far, by the kubelet's own count. */
  async runtimeCalls(): Promise<number> {
    const { text } = await this.scrape('/metrics');
    return [...text.matchAll(OPERATION)].reduce((sum, match) => sum + Number(match[1]), 0);
  }

  scrape(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Scraped> {
    return new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port: this.#port, path, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const body = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve({ text: body.toString(), bytes: body.length });
          else reject(new Error(`${path} answered ${response.statusCode}: ${body.toString().slice(0, 200)}`));
        });
      }).on('error', reject);
    });
  }
}
