import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { OperatorCaller } from '@gatehouse/auth';
import { CustomerCsvService } from './customer-csv.service.js';

it("reads the session's access scope for each exported page, and ends with the session", async () => {
  const reaches = [
    { organizationIds: ['a'], projectId: null },
    { organizationIds: ['b'], projectId: null },
  ];
  const pages: unknown[] = [];
  const fakes = [
    {
      page: ({ reach }: OperatorCaller) => {
        pages.push(reach);
        return Promise.resolve({ items: [], next: { id: '', key: '' } });
      },
    },
    {},
    { findReach: () => Promise.resolve(reaches[pages.length] ?? null) },
    {},
    { join: () => Promise.resolve() },
    { warn: () => undefined },
  ] as unknown as ConstructorParameters<typeof CustomerCsvService>;
  const response = Object.assign(new PassThrough(), {
    writeHead: () => undefined,
    setTimeout: () => undefined,
  });
  response.resume();
  const caller = { reach: { organizationIds: null, projectId: null } } as OperatorCaller;
  await new CustomerCsvService(...fakes).stream(caller, {}, response as unknown as ServerResponse);
  expect(pages).toEqual(reaches);
  expect([response.destroyed, response.writableFinished]).toEqual([true, false]);
});
