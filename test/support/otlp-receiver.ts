import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as received from the exporter. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for a trace's first span. */
  parentSpanId: string;
  name: string;
  kind: 'INTERNAL' | 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER';
  attributes: Record<string, string | number>;
  isError: boolean;
  /** The process's `service.name`. */
  service: string;
}

const kinds = ['', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUS_ERROR = 2n;

/** An OpenTelemetry collector on loopback, which decodes OTLP/HTTP protobuf messages. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** The last request's headers. */
  headers: Record<string, unknown> = {};
  /** True to leave requests without a response. */
  isHanging = false;
  /** The requests that have received no response. */
  readonly pending: ServerResponse[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new OtlpReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        receiver.headers = request.headers;
        if (receiver.isHanging) return void receiver.pending.push(response);
        if (request.url === '/v1/traces') receiver.spans.push(...readSpans(Buffer.concat(chunks)));
        response.writeHead(request.url === '/v1/traces' ? 200 : 404).end();
      });
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns a trace's spans. */
  listByTrace(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** A protobuf message's values by field number. Varints are numbers, and everything else is bytes. */
type Message = Map<number, (bigint | Buffer)[]>;

const list = (message: Message, field: number): Buffer[] => (message.get(field) ?? []) as Buffer[];
const bytes = (message: Message, field: number): Buffer => list(message, field)[0] ?? Buffer.alloc(0);
const integer = (message: Message, field: number): bigint => (message.get(field)?.[0] as bigint) ?? 0n;

/** Reads an ExportTraceServiceRequest (opentelemetry-proto, trace/v1/trace.proto). */
function readSpans(data: Buffer): ReceivedSpan[] {
  return list(readMessage(data), 1).flatMap((resourceSpans) => {
    const { resource, scopes } = readResourceSpans(readMessage(resourceSpans));
    return scopes.flatMap((scope) =>
      list(readMessage(scope), 2).map((span) =>
        readSpan(readMessage(span), String(resource['service.name'])),
      ),
    );
  });
}

const readResourceSpans = (message: Message) => ({
  resource: readAttributes(list(readMessage(bytes(message, 1)), 1)),
  scopes: list(message, 2),
});

const readSpan = (span: Message, service: string): ReceivedSpan => ({
  traceId: bytes(span, 1).toString('hex'),
  spanId: bytes(span, 2).toString('hex'),
  parentSpanId: bytes(span, 4).toString('hex'),
  name: bytes(span, 5).toString(),
  kind: kinds[Number(integer(span, 6))] as ReceivedSpan['kind'],
  attributes: readAttributes(list(span, 9)),
  isError: integer(readMessage(bytes(span, 15)), 3) === STATUS_ERROR,
  service,
});

/** Reads attributes whose values are strings or integers. */
function readAttributes(pairs: Buffer[]): Record<string, string | number> {
  const entries = pairs.map(readMessage).map((pair) => {
    const value = readMessage(bytes(pair, 2));
    return [bytes(pair, 1).toString(), value.has(3) ? Number(integer(value, 3)) : bytes(value, 1).toString()];
  });
  return Object.fromEntries(entries) as Record<string, string | number>;
}

/** Reads a protobuf message's fields (https://protobuf.dev/programming-guides/encoding/). */
function readMessage(data: Buffer): Message {
  const message: Message = new Map();
  let position = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = data[position]!;
      position += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const readBytes = (length: number): Buffer => data.subarray(position, (position += length));
  const readers: Record<number, () => bigint | Buffer> = {
    0: readVarint,
    1: () => readBytes(8),
    2: () => readBytes(Number(readVarint())),
    5: () => readBytes(4),
  };
  while (position < data.length) {
    const tag = Number(readVarint());
    const values = message.get(tag >> 3) ?? [];
    values.push(readers[tag & 7]!());
    message.set(tag >> 3, values);
  }
  return message;
}
