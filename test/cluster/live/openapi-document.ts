/** The API server's own description of its objects (`/openapi/v3`), reduced to fields and types. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_BYTES = 64 * 1024 * 1024;
const REF = '#/components/schemas/';

export interface OpenApiSchema {
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly items?: OpenApiSchema;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema;
}

/** By full name, such as `io.k8s.api.core.v1.Pod`. */
export type OpenApiSchemas = ReadonlyMap<string, OpenApiSchema>;

/** The schemas of several groups, such as `api/v1`; `kubectl` is found as live.sh says. */
export async function readOpenApi(groups: readonly string[]): Promise<OpenApiSchemas> {
  const documents = await Promise.all(
    groups.map((group) => run('kubectl', ['get', '--raw', `/openapi/v3/${group}`], { maxBuffer: MAX_BYTES })),
  );
  return toSchemas(documents.map(({ stdout }) => stdout));
}

export function toSchemas(documents: readonly string[]): OpenApiSchemas {
  return new Map(
    documents.flatMap((text) => {
      const { components } = JSON.parse(text) as {
        readonly components: { readonly schemas: Readonly<Record<string, OpenApiSchema>> };
      };
      return Object.entries(components.schemas);
    }),
  );
}

/** The full name that a schema refers to; undefined when it stands for itself. */
export function toRefName({ $ref, allOf }: OpenApiSchema): string | undefined {
  const target = $ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined);
  return target?.startsWith(REF) ? target.slice(REF.length) : undefined;
}
