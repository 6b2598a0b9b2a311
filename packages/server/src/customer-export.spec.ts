import { createCustomerExport } from './customer-export.js';

/** Returns an export whose response consists of these chunks, and then fails or ends. */
function simulate(chunks: Uint8Array[], failure?: Error) {
  const state = { isCanceled: false };
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else if (failure) controller.error(failure);
      else controller.close();
    },
    cancel: () => void (state.isCanceled = true),
  });
  return { state, exportCustomers: createCustomerExport(async () => body) };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const lines = bytes('{"id":"a","firstName":"Zoë"}\n{"id":"b"}\n{"id":"c"}\n');

async function collect(customers: AsyncIterable<{ id: string; firstName: string | null }>) {
  const found: unknown[] = [];
  const outcome = await (async () => {
    for await (const { id, firstName } of customers) found.push(firstName ? [id, firstName] : id);
    return 'complete';
  })().catch((error: { code: string }) => error.code);
  return { found, outcome };
}

it('returns every customer, wherever the network splits the response', async () => {
  const problems: number[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    const { exportCustomers } = simulate([lines.slice(0, at), lines.slice(at)]);
    const result = await collect(exportCustomers('prj'));
    if (JSON.stringify(result) !== '{"found":[["a","Zoë"],"b","c"],"outcome":"complete"}') problems.push(at);
  }
  expect(problems).toEqual([]);
});

it('fails after the last complete customer if the connection closes early', async () => {
  const part = lines.slice(0, -4);
  expect(await collect(simulate([part]).exportCustomers('prj'))).toEqual({
    found: [['a', 'Zoë'], 'b'],
    outcome: 'unavailable',
  });
  const failing = simulate([part], new TypeError('terminated'));
  expect((await collect(failing.exportCustomers('prj'))).outcome).toBe('unavailable');
});

it('closes the connection when the caller stops reading', async () => {
  const { state, exportCustomers } = simulate([lines, lines]);
  for await (const { id } of exportCustomers('prj')) if (id === 'b') break;
  expect(state.isCanceled).toBe(true);
});
