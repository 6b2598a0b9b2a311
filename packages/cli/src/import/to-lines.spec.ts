import { reasons } from './reasons.js';
import { notImported } from './source-fields.js';
import type { SourceRecord } from './source.js';
import { toLines } from './to-lines.js';

it('sends an empty line after 20,000 users that are not sent, and reports all of them', async () => {
  const unsent = notImported('users.json:1', null, 'email', reasons.noEmail);
  const sent: SourceRecord = { ...unsent, customer: { email: 'ada@example.com' }, leftOut: [] };
  async function* read() {
    for (let count = 0; count < 45_000; count += 1) {
      if (count === 30_000) yield sent;
      yield unsent;
    }
  }
  let reported = 0;
  const lines: (SourceRecord | null)[] = [];
  for await (const line of toLines(read(), async () => void (reported += 1))) lines.push(line);
  expect(lines).toEqual([null, sent, null]);
  expect(reported).toBe(45_000);
});
