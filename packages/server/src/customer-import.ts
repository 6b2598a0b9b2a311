import type { components } from './openapi.js';
import type { Transport } from './transport.js';
import type { CallOptions, Operation, QueryOf } from './typed-request.js';

const PATH = '/api/v1/customers/import';

type Schemas = components['schemas'];

/** A customer in an import. */
export type ImportedCustomer = Schemas['ImportedCustomer'];

/** Chunk length in characters. Lines are sent in chunks to reduce overhead. */
const CHUNK_LENGTH = 64 * 1024;
/** Maximum time that a line waits for further lines to fill a chunk, in ms. */
const CHUNK_MS = 1_000;

/**
 * Returns a function that imports any number of customers, and sends them as fast as Gatehouse accepts them. It has no
 * time limit and does not retry: to continue a failed import, send the same customers again with the same `importId`.
 * Gatehouse ends a request that sends no line for 30 seconds. Null is sent as an empty line, which is counted and
 * ignored.
 */
export const createCustomerImport = (transport: Transport) =>
  async function importLines(
    customers: AsyncIterable<ImportedCustomer | null> | Iterable<ImportedCustomer | null>,
    query: QueryOf<Operation<typeof PATH, 'post'>> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ImportDetailResponse']> {
    const source: { error?: unknown } = {};
    const chunks = toChunks(customers);
    // Reads the first chunk before sending the request: joining files can take minutes before the first customer, and
    // Gatehouse ends a request that sends no line.
    const body = toStream(await chunks.next(), chunks, source);
    try {
      return (await transport('POST', PATH, { ...options, query, body })) as Schemas['ImportDetailResponse'];
    } catch (error) {
      // fetch reports an error from the body stream as a network error.
      throw source.error ?? error;
    }
  };

/** Returns the chunks as a stream of bytes. It reads them only as fast as the network accepts them. */
function toStream(
  first: IteratorResult<string, void>,
  chunks: AsyncGenerator<string, void, undefined>,
  source: { error?: unknown },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: IteratorResult<string, void> | null = first;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      next ??= await chunks.next().catch((error: unknown) => {
        source.error = error;
        throw error;
      });
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
      next = null;
    },
    async cancel() {
      await chunks.return();
    },
  });
}

async function* toChunks(
  customers: AsyncIterable<ImportedCustomer | null> | Iterable<ImportedCustomer | null>,
): AsyncGenerator<string, void, undefined> {
  let chunk = '';
  let deadline = Date.now() + CHUNK_MS;
  for await (const customer of customers) {
    chunk += customer ? `${JSON.stringify(customer)}\n` : '\n';
    if (chunk.length < CHUNK_LENGTH && Date.now() < deadline) continue;
    yield chunk;
    chunk = '';
    deadline = Date.now() + CHUNK_MS;
  }
  if (chunk) yield chunk;
}
