import { createCustomerImport } from './customer-import.js';
import { createTransport } from './transport.js';

/** Returns an import whose connection closes after `limit` chunks, and the requests with the body received. */
function simulate(limit = Infinity) {
  const requests: { text: string; init: RequestInit }[] = [];
  const transport = createTransport({
    url: 'https://auth.example.com',
    secretKey: 'sk_test',
    fetch: async (_, init) => {
      const request = { text: '', init: init! };
      requests.push(request);
      const reader = (init!.body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      for (let count = 0; count < limit; count += 1) {
        const { done, value } = await reader.read().catch((cause: unknown) => {
          throw new TypeError('fetch failed', { cause });
        });
        if (done) return Response.json({ created: request.text.split('\n').length - 1 });
        request.text += decoder.decode(value, { stream: true });
      }
      await reader.cancel();
      throw new TypeError('fetch failed');
    },
  });
  return { importLines: createCustomerImport(transport), requests };
}

it('sends each customer as a line, in chunks and without a time limit', async () => {
  const { importLines, requests } = simulate();
  const customers = Array.from({ length: 3_000 }, (_, index) => ({ email: `zoë-${index}@example.com` }));
  expect(await importLines([null, ...customers], { importId: 'id' })).toEqual({ created: 3_001 });
  expect(requests[0]!.text).toBe(
    `\n${customers.map((customer) => `${JSON.stringify(customer)}\n`).join('')}`,
  );
  expect(requests[0]!.init).toMatchObject({
    duplex: 'half',
    headers: { 'content-type': 'application/x-ndjson' },
  });
});

it('throws errors from the source, and stops reading without a retry if the connection breaks', async () => {
  const failure = new Error('the file is broken');
  async function* broken() {
    yield { email: 'ada@example.com' };
    throw failure;
  }
  await expect(simulate().importLines(broken())).rejects.toBe(failure);
  let isClosed = false;
  async function* endless() {
    try {
      for (;;) yield { email: 'ada@example.com' };
    } finally {
      isClosed = true;
    }
  }
  const { importLines, requests } = simulate(2);
  await expect(importLines(endless())).rejects.toMatchObject({ code: 'unavailable' });
  expect([requests.length, isClosed]).toEqual([1, true]);
});

it('reads the first customer before it sends the request', async () => {
  const { importLines, requests } = simulate();
  let count = -1;
  function* read() {
    count = requests.length;
    yield { email: 'ada@example.com' };
  }
  expect(await importLines(read())).toEqual({ created: 1 });
  expect(count).toBe(0);
});
