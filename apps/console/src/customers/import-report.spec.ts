import { countReasons, formatReport, toEntries, type Failure } from './import-report';

const find = (line: number) => ({ position: line + 1, email: `${line}@example.com` });

it('lists line errors and warnings with their remedies, and counts the entries for each reason', () => {
  const error = (field: string, code: string) => ({ field, code, message: `${field} is not valid` });
  const failures = [
    { line: 1, status: 'failed', id: null, errors: [error('email', 'invalid'), error('locale', 'invalid')] },
    { line: 2, status: 'failed', id: null, errors: [error('email', 'invalid')], warnings: [] },
    { line: 3, status: 'skipped', id: 'c3', errors: [] },
    { line: 5, status: 'skipped', id: 'c5', errors: [error('updatedAt', 'not_newer')] },
    { line: 4, status: 'created', id: 'c4', errors: [], warnings: [error('passwordHash', 'invalid')] },
  ] as Failure[];
  const entries = failures.flatMap((failure) => toEntries(failure, find));
  expect(
    entries.map(({ result, position, email, customerId, field }) => [
      result,
      position,
      email,
      customerId,
      field,
    ]),
  ).toEqual([
    ['failed', 2, '1@example.com', null, 'email'],
    ['failed', 2, '1@example.com', null, 'locale'],
    ['failed', 3, '2@example.com', null, 'email'],
    ['skipped', 4, '3@example.com', 'c3', 'email'],
    ['left_out', 5, '4@example.com', 'c4', 'passwordHash'],
  ]);
  for (const { reason, remedy } of entries) expect(`${reason} ${remedy}`).toMatch(/^\S.*[^.]$/);
  const counts = countReasons(entries).map(({ result, field, count }) => [result, field, count]);
  expect(counts[0]).toEqual(['failed', 'email', 2]);
  expect(counts).toHaveLength(4);
});

it('writes a report without formulas in its cells', () => {
  const entry = {
    result: 'failed' as const,
    position: 2,
    customerId: null,
    field: 'email',
    remedy: 'Correct it',
  };
  const entries = [{ ...entry, email: '=HYPERLINK("x")', reason: '+1, "-2"' }];
  expect(formatReport('Line', entries)).toBe(
    `result,line,email,customerId,field,reason,remedy\r\nfailed,2,"'=HYPERLINK(""x"")",,email,"'+1, ""-2""",Correct it\r\n`,
  );
});
