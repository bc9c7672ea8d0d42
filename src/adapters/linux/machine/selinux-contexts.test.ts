import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readContainerFileContext } from './selinux-contexts.ts';

describe('readContainerFileContext', () => {
  it('reads the label of files from the policy that is configured', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'selinux-'));
    try {
      assert.equal(await readContainerFileContext(directory), undefined);
      await writeFile(
        join(directory, 'config'),
        '# SELINUXTYPE=minimum\nSELINUX=enforcing\nSELINUXTYPE=targeted\n',
      );
      assert.equal(await readContainerFileContext(directory), undefined);
      await mkdir(join(directory, 'targeted/contexts'), { recursive: true });
      const text =
        'process = "system_u:system_r:container_t:s0"\ncontent = "x"\nfile = "system_u:object_r:container_file_t:s0"\n';
      await writeFile(join(directory, 'targeted/contexts/lxc_contexts'), text);
      assert.equal(await readContainerFileContext(directory), 'system_u:object_r:container_file_t:s0');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});
