import type { NodeRequest } from './respond.js';

/** Maximum webhook body length in bytes. Gatehouse sends at most 64 KiB. */
const LONGEST_BODY = 1024 * 1024;

/** An error for a body that cannot be verified, with the response status. */
export class BodyError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** A Node.js server request whose body may have been read by a body parser. */
export type NodeBodyRequest = NodeRequest & {
  /** Set by `rawBody: true` in NestJS and by other body parsers. */
  rawBody?: unknown;
  body?: unknown;
  readableDidRead?: boolean;
  /** The Node.js request. Set by Fastify. */
  raw?: NodeBodyRequest;
};

// Keeps a byte order mark, because the string must contain exactly the bytes that were signed.
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** Returns the body of a Web request as a string. @throws BodyError if it is too long */
export async function readWebBody(request: Request): Promise<string> {
  return request.body ? decode(await join(chunksOf(request.body))) : '';
}

/**
 * Returns the body of a Node.js, Express or Fastify request as a string with exactly the bytes that were signed.
 * @throws BodyError if it is too long, or if a body parser has consumed it
 */
export async function readNodeBody(request: NodeBodyRequest): Promise<string> {
  for (const body of [request.rawBody, request.body]) {
    if (typeof body === 'string') return body;
    if (body instanceof Uint8Array) return decode(body);
  }
  const message = request.raw ?? request;
  if (message.readableDidRead || (request.raw && request.body !== undefined))
    throw new BodyError(
      500,
      'The body was parsed before its signature could be verified. Mount the webhook before express.json(), or keep the raw body in request.rawBody.',
    );
  return decode(await join(message as unknown as AsyncIterable<Uint8Array>));
}

async function join(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of chunks) {
    length += part.length;
    if (length > LONGEST_BODY) throw new BodyError(413, 'The body is too long.');
    parts.push(part);
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Iterates over the chunks of a stream. In some runtimes, streams are not async iterable. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}
