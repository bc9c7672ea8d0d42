import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toFullReference, toRepository, trimTagAndDigest } from './image-repository.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('image repository', () => {
  const rows: [image: string, trimmed: string, repository: string, full: string][] = [
    ['nginx', 'nginx', 'docker.io/library/nginx', 'docker.io/library/nginx:latest'],
    ['nginx:1', 'nginx', 'docker.io/library/nginx', 'docker.io/library/nginx:1'],
    ['team/app:1', 'team/app', 'docker.io/team/app', 'docker.io/team/app:1'],
    ['docker.io/nginx', 'docker.io/nginx', 'docker.io/library/nginx', 'docker.io/library/nginx:latest'],
    ['index.docker.io/a/b', 'index.docker.io/a/b', 'docker.io/a/b', 'docker.io/a/b:latest'],
    ['localhost/app', 'localhost/app', 'localhost/app', 'localhost/app:latest'],
    ['127.0.0.1:5000/app:1', '127.0.0.1:5000/app', '127.0.0.1:5000/app', '127.0.0.1:5000/app:1'],
    ['Host/app', 'Host/app', 'Host/app', 'Host/app:latest'],
    [`a.example/b@${DIGEST}`, 'a.example/b', 'a.example/b', `a.example/b@${DIGEST}`],
    [`a.example/b:1@${DIGEST}`, 'a.example/b', 'a.example/b', `a.example/b:1@${DIGEST}`],
  ];
  for (const [image, trimmed, repository, full] of rows)
    it(image, () => {
      assert.deepEqual(
        [trimTagAndDigest(image), toRepository(image), toFullReference(image)],
        [trimmed, repository, full],
      );
    });
});
