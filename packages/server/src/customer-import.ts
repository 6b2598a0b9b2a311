import type { components } from './openapi.js';
import type { Transport } from './transport.js';
import type { CallOptions, Operation, QueryOf } from './typed-request.js';

const PATH = '/api/v1/customers/import';

type Schemas = components['schemas'];

/** A customer in an import. */
export type ImportedCustomer = Schemas['ImportedCustomer'];

/** Chunk length in characters. The network receives many lines at once. */
const CHUNK_LENGTH = 64 * 1024;
/** Maximum time for which a line waits for others, in ms. */
const CHUNK_MS = 1_000;

/**
 * Returns a function that imports any number of customers, and sends them as fast as Gatehouse accepts them. It has no
 * time limit and does not retry: send the same customers again with the same `importId`, which continues the import.
 * Gatehouse ends a request that sends no line for 30 seconds. Null is an empty line, which is counted and ignored.
 */
export const createCustomerImport = (transport: Transport) =>
  async function importLines(
    customers: AsyncIterable<ImportedCustomer | null> | Iterable<ImportedCustomer | null>,
    query: QueryOf<Operation<typeof PATH, 'post'>> = {},
    options: CallOptions = {},
  ): Promise<Schemas['ImportDetailResponse']> {
    const source: { error?: unknown } = {};
    const chunks = toChunks(customers);
    // Gatehouse ends a request without a line, and the first customer of files that are joined can take minutes.
    const body = toStream(await chunks.next(), chunks, source);
    try {
      return (await transport('POST', PATH, { ...options, query, body })) as Schemas['ImportDetailResponse'];
    } catch (error) {
      // fetch reports an error in its body as a network error.
      throw source.error ?? error;
    }
  };

/** Returns the customers' lines as bytes, which are read when the network accepts them. */
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
