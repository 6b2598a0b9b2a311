import { parseCsv } from './parse-csv';

/** The lines of a file in the format of the import. */
export interface ImportFile {
  name: string;
  body: Blob;
  /** Number of lines, for the progress. */
  lines: number;
  /** The name of a line in the file: a row of a CSV file also counts the column names. */
  lineName: 'Line' | 'Row' | 'Entry';
  /** Number of lines of the file before the first customer. */
  offset: number;
}

/** Maximum size of a file that must be parsed in the browser. NDJSON is streamed and has no limit. */
const MAX_PARSED_BYTES = 50 * 2 ** 20;

/** How the cells of a CSV file are converted, by the name of the column. */
const columns: Record<string, (cell: string) => unknown> = {
  email: String,
  firstName: String,
  lastName: String,
  externalId: String,
  locale: String,
  emailVerified: parseBoolean,
  mfa: String,
  password: String,
  passwordHash: String,
  totpSecret: String,
  metadata: parseJson,
  publicMetadata: parseJson,
  createdAt: String,
  updatedAt: String,
  lastLoginAt: String,
  disabledAt: String,
  imageUrl: String,
  projectId: String,
  id: String,
};

const csvColumns = Object.keys(columns);

/** Reads a file as NDJSON. @throws Error if the file cannot be imported */
export async function readImportFile(file: File): Promise<ImportFile> {
  if (file.size === 0) throw new Error('The file is empty.');
  const extension = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase();
  if (extension !== 'csv' && extension !== 'json')
    return { name: file.name, body: file, lines: await countLines(file), lineName: 'Line', offset: 0 };
  if (file.size > MAX_PARSED_BYTES)
    throw new Error(
      'A CSV or JSON file can have up to 50 MB. Convert larger files to NDJSON, which has no limit.',
    );
  const text = await file.text();
  const customers = extension === 'csv' ? customersOfCsv(text) : customersOfJson(text);
  if (customers.length === 0) throw new Error('The file contains no customers.');
  const lines = customers.map((customer) => `${JSON.stringify(customer)}\n`);
  return {
    name: file.name,
    body: new Blob(lines),
    lines: lines.length,
    ...(extension === 'csv' ? { lineName: 'Row', offset: 1 } : { lineName: 'Entry', offset: 0 }),
  };
}

/** Returns the customers of a CSV file whose first row contains the names of the columns. @throws Error */
export function customersOfCsv(text: string): Record<string, unknown>[] {
  const [names = [], ...rows] = parseCsv(text);
  const header = names.map((name) => name.trim());
  const unknown = header.filter((name) => !Object.hasOwn(columns, name));
  if (unknown.length > 0)
    throw new Error(
      `Unknown columns: ${unknown.slice(0, 5).join(', ')}. Known columns: ${csvColumns.join(', ')}.`,
    );
  if (!header.includes('email')) throw new Error('The column email is missing.');
  return rows.map((cells) =>
    Object.fromEntries(
      header.flatMap((name, index) => {
        const cell = cells[index] ?? '';
        return cell === '' ? [] : [[name, columns[name]!(cell)]];
      }),
    ),
  );
}

/** Returns the entries of a JSON file: a list, or an object with the list `customers`. @throws Error */
export function customersOfJson(text: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(
      'The file is not valid JSON. A file with one JSON object per line must have the extension .ndjson.',
    );
  }
  const list = Array.isArray(value) ? value : (value as { customers?: unknown } | null)?.customers;
  if (!Array.isArray(list)) throw new Error('The file must contain a list of customers.');
  return list;
}

/** Counts lines without reading the complete file into memory. */
async function countLines(file: Blob): Promise<number> {
  const reader = file.stream().getReader();
  let [count, endsWithLineFeed] = [0, true];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return endsWithLineFeed ? count : count + 1;
    for (const byte of value) if (byte === 10) count += 1;
    endsWithLineFeed = value.at(-1) === 10;
  }
}

/** Returns a boolean, or the text itself, for which the API reports an error. */
function parseBoolean(cell: string): unknown {
  if (/^(true|1|yes)$/i.test(cell)) return true;
  return /^(false|0|no)$/i.test(cell) ? false : cell;
}

function parseJson(cell: string): unknown {
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    return cell;
  }
}
