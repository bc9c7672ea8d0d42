/**
 * A collector of spans on a TCP port, of @grpc/grpc-js and protobufjs, with
 * the schema of proto/otlp.proto read by protobufjs: nothing of ours takes
 * part in what it understands.
 */
import { readFileSync } from 'node:fs';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

export interface CollectedSpan {
  readonly scope: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly linkedTo: readonly string[];
  readonly failed: boolean;
  readonly attributes: ReadonlyMap<string, unknown>;
}

const PACKAGE = 'opentelemetry.proto.collector.trace.v1';
const FAILED = 2;

interface WireSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: Uint8Array;
  readonly spanId: Uint8Array;
  readonly parentSpanId?: Uint8Array;
  readonly links?: readonly { readonly traceId: Uint8Array }[];
  readonly status?: { readonly code?: number };
  readonly attributes?: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

interface WireRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: WireSpan['attributes'] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly WireSpan[];
    }[];
  }[];
}

export class OtlpCollector implements Disposable {
  readonly spans: CollectedSpan[] = [];
  readonly resources: ReadonlyMap<string, unknown>[] = [];
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  static async start(): Promise<OtlpCollector> {
    const text = readFileSync(new URL('../../proto/otlp.proto', import.meta.url), 'utf8');
    const { root } = protobuf.parse(text, new protobuf.Root());
    const request = root.lookupType(`${PACKAGE}.ExportTraceServiceRequest`);
    const server = new Server();
    const method = {
      path: `/${PACKAGE}.TraceService/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    };
    const take = { accept: (_bytes: Buffer): void => {} };
    server.addService(
      { Export: method },
      {
        Export: (call: { request: Buffer }, done: (error: null, reply: Buffer) => void) => {
          take.accept(call.request);
          done(null, Buffer.alloc(0));
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    const collector = new OtlpCollector(server, port);
    take.accept = (bytes) => collector.#take(request.decode(bytes) as unknown as WireRequest);
    return collector;
  }

  #take({ resourceSpans }: WireRequest): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      this.resources.push(toMap(resource.attributes));
      for (const { scope, spans } of scopeSpans)
        for (const span of spans) this.spans.push(toCollected(scope.name, span));
    }
  }

  [Symbol.dispose](): void {
    this.#server.forceShutdown();
  }
}

function toCollected(scope: string, span: WireSpan): CollectedSpan {
  return {
    scope,
    name: span.name,
    kind: span.kind,
    traceId: toHex(span.traceId),
    spanId: toHex(span.spanId),
    parentSpanId: toHex(span.parentSpanId),
    linkedTo: (span.links ?? []).map(({ traceId }) => toHex(traceId)),
    failed: span.status?.code === FAILED,
    attributes: toMap(span.attributes),
  };
}

function toMap(attributes: WireSpan['attributes']): Map<string, unknown> {
  return new Map((attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
}

const toHex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');
