/**
 * Measures protobuf codecs on the message the agent reads most: a list of 200
 * containers. Every codec is bundled as for a release and runs in a process of
 * its own, so that its resident memory is its own.
 *
 *   node bench/decode/decode.ts [module …]
 *
 * A module exports `decode(bytes)`; ours is always measured. README.md says
 * how the other candidates were made.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { encodeListContainersResponse } from '../../src/gen/cri.ts';

const CONTAINERS = 200;
const child = fileURLToPath(new URL('./measure.mjs', import.meta.url));
const ours = fileURLToPath(new URL('./ours.ts', import.meta.url));

function sampleResponse(): Uint8Array {
  const id = (i: number): string => i.toString(16).padStart(64, 'a');
  const containers = Array.from({ length: CONTAINERS }, (_, i) => ({
    id: id(i),
    podSandboxId: id(i + 1000),
    metadata: { name: 'web', attempt: i % 3 },
    image: { image: `sha256:${id(7)}`, userSpecifiedImage: 'registry.example.com/team/web:1.2.3' },
    imageRef: `sha256:${id(7)}`,
    state: 1,
    createdAt: 1.763e18 + i * 1e9,
    labels: {
      'io.kubernetes.container.name': 'web',
      'io.kubernetes.pod.name': `web-6d5f8c7b9-${i}`,
      'io.kubernetes.pod.namespace': 'production',
      'io.kubernetes.pod.uid': `0b8cbb39-6f1c-4b5f-9a57-${String(i).padStart(12, '0')}`,
    },
    annotations: {
      'io.kubernetes.container.hash': '8e45cbd0',
      'io.kubernetes.container.ports': '[{"name":"http","containerPort":8080,"protocol":"TCP"}]',
      'io.kubernetes.container.restartCount': '0',
      'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
      'io.kubernetes.container.terminationMessagePolicy': 'File',
      'io.kubernetes.pod.terminationGracePeriod': '30',
    },
    imageId: `sha256:${id(7)}`,
  }));
  return encodeListContainersResponse({ containers });
}

const scratch = mkdtempSync(join(tmpdir(), 'bench-decode-'));
const sample = join(scratch, 'sample.bin');
writeFileSync(sample, sampleResponse());
for (const module of [ours, ...process.argv.slice(2)]) {
  const bundle = join(scratch, 'codec.mjs');
  buildSync({
    entryPoints: [module],
    outfile: bundle,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
  });
  const result = execFileSync(process.execPath, ['--expose-gc', child, bundle, sample], { encoding: 'utf8' });
  console.log(
    `${basename(module)}: ${(statSync(bundle).size / 1024).toFixed(0)} KiB minified, ${result.trim()}`,
  );
}
rmSync(scratch, { recursive: true });
