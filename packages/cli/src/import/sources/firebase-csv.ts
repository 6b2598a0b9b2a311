import { usageError } from '../../cli-error.js';
import type { JsonObject } from '../../json-object.js';
import { isInvalidRow, readCsv, type FileRecord, type Row } from '../read-files.js';
import type { LeftOut } from '../source.js';
import { firebaseReasons } from './firebase-reasons.js';

/** Providers with accounts in the middle of a row. */
const firstProviders = ['google.com', 'facebook.com', 'twitter.com', 'github.com'];
/** Providers that current versions add at the end of a row. */
const laterProviders = [
  'apple.com',
  'microsoft.com',
  'gc.apple.com',
  'playgames.google.com',
  'linkedin.com',
  'yahoo.com',
];

const accountColumns = (provider: string): string[] =>
  ['rawId', 'email', 'displayName', 'photoUrl'].map((name) => `${provider} ${name}`);

/**
 * The columns of the file. The file has no header. Sources: https://firebase.google.com/docs/cli/auth#file_format, and
 * src/accountExporter.ts in firebase-tools
 */
const columns = [
  ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
  ...firstProviders.flatMap(accountColumns),
  ...['createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes'],
  ...laterProviders.flatMap(accountColumns),
];

/** The name of the empty cell after the last comma in a row. */
const END = 'end';

/** Number of columns before the first later provider. */
const FIRST_COLUMN_COUNT = 28;

/**
 * The possible numbers of cells in a row. Older versions of the Firebase CLI write fewer columns. The CLI ends
 * each row with a comma, which adds a cell. Other programs remove the comma.
 */
const cellCounts = [
  columns.length + 1,
  columns.length,
  FIRST_COLUMN_COUNT + 1,
  FIRST_COLUMN_COUNT,
  FIRST_COLUMN_COUNT - 1,
  FIRST_COLUMN_COUNT - 2,
];

/** Number of rows that are read to determine the number of cells. A name with a comma adds a cell to its row. */
const SAMPLE = 100;

/**
 * A CSV row that was converted to the JSON export format (`user` is null if the row has another length), and the values
 * that the file does not state.
 */
export interface CsvUser {
  user: JsonObject | null;
  leftOut: LeftOut[];
}

/** Reads the users in a CSV file. @throws CliError if it does not have the columns of this export */
export async function* readFirebaseCsv(file: string): AsyncGenerator<FileRecord<CsvUser>> {
  const names = await findColumns(file);
  for await (const { position, value: row } of readCsv(file, names))
    yield {
      position,
      value: isInvalidRow(row)
        ? { user: null, leftOut: [] }
        : { user: toUser(row), leftOut: findUnknown(row) },
    };
}

async function findColumns(file: string): Promise<string[]> {
  for (const count of cellCounts) {
    const names = Array.from({ length: count }, (_, index) => columns[index] ?? END);
    // The cell after the last comma, in a row from an older version.
    if (count === FIRST_COLUMN_COUNT + 1) names[FIRST_COLUMN_COUNT] = END;
    let rows = 0;
    for await (const { value } of readCsv(file, names)) {
      if (!isInvalidRow(value)) return names;
      if ((rows += 1) === SAMPLE) break;
    }
  }
  throw usageError(
    `${file} does not have the columns of firebase auth:export.`,
    'Export the users again, as JSON or as CSV without a header.',
  );
}

function toUser(row: Row): JsonObject {
  const texts = Object.entries(row).filter(([name]) => name !== END && !name.includes(' '));
  const providers = [...firstProviders, ...laterProviders].map((providerId) => ({
    providerId,
    rawId: row[`${providerId} rawId`] ?? '',
  }));
  return {
    ...Object.fromEntries(texts),
    providerUserInfo: providers.filter(({ rawId }) => rawId !== ''),
  };
}

/** Returns the values of each user that are not in the file's columns. */
function findUnknown(row: Row): LeftOut[] {
  const length = Object.keys(row).length;
  return [
    { field: 'mfaInfo', ...firebaseReasons.unknownFactors },
    ...(length <= FIRST_COLUMN_COUNT + 1
      ? [{ field: 'providerUserInfo', ...firebaseReasons.unknownProviders }]
      : []),
    ...(length < FIRST_COLUMN_COUNT && !row['disabled']
      ? [{ field: 'disabled', ...firebaseReasons.unknownState }]
      : []),
  ];
}
