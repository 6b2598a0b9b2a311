import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { OperatorCaller } from '@gatehouse/auth';
import { CustomerCsvService } from './customer-csv.service.js';

it('reads the access scope for each exported page and aborts when the session ends', async () => {
  const accessScopes = [
    { organizationIds: ['a'], projectId: null },
    { organizationIds: ['b'], projectId: null },
  ];
  const pages: unknown[] = [];
  const fakes = [
    {
      page: ({ accessScope }: OperatorCaller) => {
        pages.push(accessScope);
        return Promise.resolve({ items: [], next: { id: '', key: '' } });
      },
    },
    {},
    { findAccessScope: () => Promise.resolve(accessScopes[pages.length] ?? null) },
    {},
    { join: () => Promise.resolve() },
    { warn: () => undefined },
  ] as unknown as ConstructorParameters<typeof CustomerCsvService>;
  const response = Object.assign(new PassThrough(), {
    writeHead: () => undefined,
    setTimeout: () => undefined,
  });
  response.resume();
  const caller = { accessScope: { organizationIds: null, projectId: null } } as OperatorCaller;
  await new CustomerCsvService(...fakes).stream(caller, {}, response as unknown as ServerResponse);
  expect(pages).toEqual(accessScopes);
  expect([response.destroyed, response.writableFinished]).toEqual([true, false]);
});
