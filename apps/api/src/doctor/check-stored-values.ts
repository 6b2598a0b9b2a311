import { EncryptedValuesRepository, type Database, type SecretColumn } from '@gatehouse/persistence';
import { adminCommand, type Keyring } from '@gatehouse/platform';
import { UnreadableRecordsService } from '../bootstrap/unreadable-records.service.js';
import { ok, warning, type CheckResult } from './check-result.js';

const isPassword = ({ column }: SecretColumn): boolean => column === 'password_hash';

/** Counts the stored values encrypted with an entry that is no longer in GATEHOUSE_SECRET. Scans entire tables. */
export async function checkStoredValues(database: Database, keyring: Keyring): Promise<CheckResult[]> {
  const counts = await new UnreadableRecordsService(new EncryptedValuesRepository(database), keyring).count();
  const passwords: Record<string, number> = {};
  const others: string[] = [];
  for (const [column, count] of counts) {
    const { table } = column;
    if (isPassword(column)) passwords[table] = (passwords[table] ?? 0) + count;
    else others.push(`${table}.${column.column} ${count}`);
  }
  return [passwordResult(passwords), valueResult(others)];
}

const list = adminCommand('unreadable list');

/** @param counts number of passwords by table */
function passwordResult({ customers = 0, operators = 0 }: Record<string, number>): CheckResult {
  if (customers + operators === 0)
    return ok('passwords', 'GATEHOUSE_SECRET contains the entry for every password');
  const resets = adminCommand('unreadable send-resets');
  const link = adminCommand('operator-link <email>');
  return warning(
    'passwords',
    `Passwords that can no longer be verified, because the entry that encrypted them is no longer in GATEHOUSE_SECRET: customers ${customers}, operators ${operators}`,
    `Append the entry to GATEHOUSE_SECRET. If it is lost, list the passwords with ${list}, send password resets to the customers with ${resets}, and create links for the operators with ${link}.`,
  );
}

function valueResult(counts: string[]): CheckResult {
  if (counts.length === 0)
    return ok('encrypted values', 'GATEHOUSE_SECRET contains the entry for every encrypted value');
  return warning(
    'encrypted values',
    `Values that can no longer be decrypted, because the entry that encrypted them is no longer in GATEHOUSE_SECRET: ${counts.join(', ')}`,
    `Append the entry to GATEHOUSE_SECRET. If it is lost, list the values with ${list}, and replace them: docs/operations/lost-secret.md, "Replace a lost root secret".`,
  );
}
