import type { ExportedCustomer } from '@gatehouse/server';
import type { ImportReport } from '../import/import-report.js';
import type { Reason } from '../import/reasons.js';
import type { SourceRecord } from '../import/source.js';
import { FIELDS, FieldResult, FileUsers, type UnmatchedCustomer } from './file-users.js';

/** Maximum number of examples per field. */
const EXAMPLES = 3;

/** The differences in one field. */
export interface FieldDifferences {
  field: string;
  onlyInFiles: number;
  onlyInGatehouse: number;
  different: number;
  /** The first users that differ, as their ids or positions in the files. */
  examples: string[];
}

export interface ComparisonResult {
  /** Users in the files, excluding those that cannot be imported. */
  inFiles: number;
  inGatehouse: number;
  /** Users in the files whose customers have no differences. */
  equal: number;
  different: number;
  onlyInFiles: number;
  onlyInGatehouse: number;
  /** The fields with differences. */
  fields: FieldDifferences[];
}

const ONLY_IN_FILES: Reason = {
  reason: 'Gatehouse has no customer with this externalId, id or email address',
  remedy: 'Import the files again, and read the reason in the import report',
};
const ONLY_IN_GATEHOUSE: Reason = {
  reason: 'The files contain no user with the externalId, id or email address of this customer',
  remedy:
    'Keep the customer if they registered in Gatehouse, or delete them if the other system has deleted the user',
};

const fieldReasons: Record<FieldResult, Reason | null> = {
  [FieldResult.equal]: null,
  [FieldResult.onlyInFiles]: {
    reason: 'The files contain a value, and Gatehouse has none',
    remedy: 'Read the import report, or apply the value with customers import --update',
  },
  [FieldResult.onlyInGatehouse]: {
    reason: 'Gatehouse has a value, and the files contain none',
    remedy: 'Nothing if the value was set in Gatehouse. Otherwise, remove it from the customer',
  },
  [FieldResult.different]: {
    reason: 'The value in the files differs from the value in Gatehouse',
    remedy:
      'Nothing if the value was changed in Gatehouse. Otherwise, apply the value with customers import --update',
  },
};

/**
 * Compares the users in files with the customers in Gatehouse. Reads the files twice: the differences are known only
 * after the first pass.
 * @param records returns the records in the files, the same ones on each call
 * @param withSecrets true if `customers` contain password hashes and TOTP secrets
 */
export async function compareCustomers(
  records: () => AsyncIterable<SourceRecord>,
  customers: AsyncIterable<ExportedCustomer>,
  report: ImportReport,
  withSecrets: boolean,
): Promise<ComparisonResult> {
  const users = new FileUsers(withSecrets);
  for await (const record of records()) {
    if (record.leftOut.length > 0 || !record.customer) await report.addRecord(record);
    if (record.customer) users.add(record.customer);
  }
  let [inGatehouse, onlyInGatehouse] = [0, 0];
  for await (const customer of customers) {
    inGatehouse += 1;
    const unknown = users.compare(customer);
    if (!unknown) continue;
    onlyInGatehouse += 1;
    await report.add(toRecord(unknown), 'only_in_gatehouse', { field: '', ...ONLY_IN_GATEHOUSE });
  }
  return {
    inFiles: users.count,
    inGatehouse,
    onlyInGatehouse,
    ...(await listDifferences(users, records(), report)),
  };
}

const toRecord = ({ id, email }: UnmatchedCustomer): SourceRecord => ({
  ...{ position: '', sourceId: id, customer: { email }, leftOut: [] },
});

/** Reads the records again, and adds those that differ to the report. */
async function listDifferences(
  users: FileUsers,
  records: AsyncIterable<SourceRecord>,
  report: ImportReport,
): Promise<Pick<ComparisonResult, 'equal' | 'different' | 'onlyInFiles' | 'fields'>> {
  const fields = new Map(FIELDS.map((field) => [field, createField(field)]));
  const counts = { equal: 0, different: 0, onlyInFiles: 0 };
  let user = 0;
  for await (const record of records) {
    if (!record.customer) continue;
    const differences = users.listDifferences(user);
    if (!users.isInGatehouse(user)) {
      counts.onlyInFiles += 1;
      await report.add(record, 'only_in_files', { field: '', ...ONLY_IN_FILES });
    } else if (differences.length === 0) counts.equal += 1;
    else counts.different += 1;
    for (const { field, result } of differences) {
      addDifference(fields.get(field)!, result, record);
      await report.add(record, 'different', { field, ...fieldReasons[result]! });
    }
    user += 1;
  }
  return { ...counts, fields: [...fields.values()].filter(({ examples }) => examples.length > 0) };
}

const createField = (field: string): FieldDifferences => ({
  ...{ field, onlyInFiles: 0, onlyInGatehouse: 0, different: 0, examples: [] },
});

function addDifference(field: FieldDifferences, result: FieldResult, record: SourceRecord): void {
  if (result === FieldResult.onlyInFiles) field.onlyInFiles += 1;
  else if (result === FieldResult.onlyInGatehouse) field.onlyInGatehouse += 1;
  else field.different += 1;
  if (field.examples.length < EXAMPLES) field.examples.push(record.sourceId ?? record.position);
}
