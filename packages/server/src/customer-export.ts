import { unavailableError } from './gatehouse-error.js';
import type { components } from './openapi.js';
import type { Transport } from './transport.js';
import type { CallOptions, Operation, QueryOf } from './typed-request.js';

const PATH = '/api/v1/projects/{projectId}/export';

type Schemas = components['schemas'];

/** A customer in an export, in the format that imports accept. */
export type ExportedCustomer = Schemas['CustomerResponse'] &
  Pick<Schemas['ImportedCustomer'], 'passkeys' | 'identities'> & {
    /** Present only with `hashes`. Null if the customer has no password. */
    passwordHash?: string | null;
    /** Present only with `hashes`. Null if the customer has no authenticator app. */
    totpSecret?: string | null;
  };

/**
 * Returns a function that exports all customers of a project, oldest first. It streams the response without a time
 * limit. After the first customer has arrived, it does not retry: if it then fails, start the export again.
 */
export const createCustomerExport = (transport: Transport) =>
  async function* exportCustomers(
    projectId: string,
    query: QueryOf<Operation<typeof PATH, 'get'>> = {},
    options: CallOptions = {},
  ): AsyncGenerator<ExportedCustomer, void, undefined> {
    const request = { ...options, params: { projectId }, query, isStream: true };
    const body = (await transport('GET', PATH, request)) as ReadableStream<Uint8Array>;
    for await (const line of readLines(body, options.signal)) yield JSON.parse(line) as ExportedCustomer;
  };

/** @throws GatehouseError `unavailable` if the stream ends before its last line is complete */
async function* readLines(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const incomplete = (cause?: unknown) =>
    unavailableError('The export is incomplete. Start it again.', cause);
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        signal?.throwIfAborted();
        throw incomplete(error);
      });
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest) throw incomplete();
  } finally {
    // Closes the connection if the caller left the loop early.
    await reader.cancel().catch(() => undefined);
  }
}
