import type { Gatehouse } from '@gatehouse/server';
import { ImportReport } from './import-report.js';
import { addFailures } from './import-summary.js';
import type { ImportState } from './send-import.js';
import type { SourceRecord } from './source.js';

it('counts the lines that Gatehouse does not list', async () => {
  const failure = (line: number, code: string) => ({
    ...{ line, status: 'skipped', id: null, warnings: [] },
    errors: [{ field: 'email', code, message: 'email is taken' }],
  });
  const state = {
    ...{ dryRun: true, skipped: 5, unchanged: 1, failed: 0, incomplete: 0 },
    failures: { data: [failure(1, 'email_already_registered'), failure(2, 'unchanged')], nextCursor: null },
  } as unknown as ImportState;
  async function* read(): AsyncGenerator<SourceRecord> {
    for (let line = 1; line <= 6; line += 1)
      yield { position: `${line}`, sourceId: null, customer: { email: `${line}@example.com` }, leftOut: [] };
  }
  const report = new ImportReport(null);
  expect(await addFailures({} as Gatehouse, state, read(), report)).toBe(3);
  expect(report.counts).toMatchObject([{ result: 'skipped', field: 'email', count: 1 }]);
});
