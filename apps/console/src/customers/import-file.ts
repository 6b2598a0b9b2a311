import {
  RowConverter,
  customerFields,
  type CellProblem,
} from '../../../../packages/cli/src/console-shared/customer-rows';
import { decodeChunks } from '../../../../packages/cli/src/console-shared/decode-text';
import { EncodingError, FileError } from '../../../../packages/cli/src/console-shared/file-error';
import { parseCsv, type Delimiter } from '../../../../packages/cli/src/console-shared/parse-csv';
import { LocalReport, type ReportEntry } from './import-report';

/** A file's lines in the import format. */
export interface ImportFile {
  name: string;
  body: Blob;
  /** Number of lines, to calculate the progress. */
  lines: number;
  /** The word for a position in the file. */
  lineName: 'Line' | 'Entry';
  encoding: string;
  /** Null for a file that is not CSV. */
  delimiter: Delimiter | null;
  /** The parts of the file that are not sent. */
  report: LocalReport;
  /**
   * Returns a sent line's position in the file and, if known, its email address. Sent lines are counted from 1.
   */
  find: (line: number) => { position: number; email: string | null };
}

/** The options for reading a file. An option that is not set is detected from the file. */
export interface FileFormat {
  encoding?: string;
  delimiter?: Delimiter;
}

/** Maximum size of a file that must be parsed in the browser. NDJSON in UTF-8 is streamed and has no limit. */
const MAX_PARSED_BYTES = 50 * 2 ** 20;
const CHUNK_BYTES = 2 ** 20;

const CORRECT_FILE = 'Correct the file, and select it again';

const cellProblems: Record<CellProblem, Pick<ReportEntry, 'reason' | 'remedy'>> = {
  unknown_column: {
    reason: 'No customer field has this name',
    remedy: 'Rename the column to a field or to metadata.<name>, or delete it',
  },
  not_an_object: { reason: 'The cell is not a JSON object', remedy: CORRECT_FILE },
  not_a_list: { reason: 'The cell is not a JSON array', remedy: CORRECT_FILE },
  metadata_name_taken: {
    reason: 'The metadata contains a different value with this name',
    remedy: 'Rename one of the values in the file, and select it again',
  },
};
const wrongCells = {
  reason: 'The row has more or fewer cells than the header',
  remedy: 'Quote each cell that contains the delimiter, and select the file again',
};

/** Reads a file as NDJSON. @throws FileError if the file cannot be imported */
export async function readImportFile(file: File, format: FileFormat = {}): Promise<ImportFile> {
  if (file.size === 0) throw new FileError('the file is empty');
  const extension = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '';
  if (!['csv', 'tsv', 'json'].includes(extension)) return readLines(file, format);
  if (file.size > MAX_PARSED_BYTES)
    throw new FileError(
      'a CSV or JSON file can be up to 50 MB. Convert larger files to NDJSON, which has no limit',
    );
  const lines = extension === 'json' ? await readJson(file, format) : await readTable(file, format);
  const { texts, positions, emails } = lines;
  if (texts.length + lines.report.notSent === 0) throw new FileError('the file contains no customers');
  return {
    name: file.name,
    body: new Blob(texts),
    lines: texts.length,
    lineName: extension === 'json' ? 'Entry' : 'Line',
    encoding: lines.encoding,
    delimiter: lines.delimiter,
    report: lines.report,
    find: (line) => ({ position: positions[line - 1] ?? line, email: emails[line - 1] ?? null }),
  };
}

/** The lines in a file that the browser has parsed. */
class ParsedLines {
  readonly texts: string[] = [];
  readonly positions: number[] = [];
  readonly emails: (string | null)[] = [];
  readonly report = new LocalReport();
  encoding = 'utf-8';
  delimiter: Delimiter | null = null;

  add(position: number, customer: unknown): void {
    const email = (customer as { email?: unknown } | null)?.email;
    this.texts.push(`${JSON.stringify(customer)}\n`);
    this.positions.push(position);
    this.emails.push(typeof email === 'string' ? email : null);
  }
}

/** Reads a CSV file whose first row contains the field names. */
async function readTable(file: File, { encoding, delimiter }: FileFormat): Promise<ParsedLines> {
  const lines = new ParsedLines();
  const texts = async function* (): AsyncGenerator<string> {
    for await (const chunk of decode(file, encoding)) {
      lines.encoding = chunk.encoding;
      yield chunk.text;
    }
  };
  let converter: RowConverter | null = null;
  for await (const group of parseCsv(texts(), delimiter)) {
    lines.delimiter = group.delimiter;
    converter ??= new RowConverter(group.columns);
    for (const { line, cells } of group.rows) {
      const { customer, leftOut } = converter.convert(cells ?? []);
      const email = typeof customer['email'] === 'string' ? customer['email'] : null;
      const entry = { position: line, email, customerId: null };
      if (cells) lines.add(line, customer);
      else lines.report.add({ ...entry, result: 'not_sent', field: '', ...wrongCells });
      for (const { column, problem } of leftOut)
        lines.report.add({ ...entry, result: 'left_out', field: column, ...cellProblems[problem] });
    }
  }
  return lines;
}

/** Reads a JSON file: a list of customers, or an object with the list `customers`. */
async function readJson(file: File, { encoding }: FileFormat): Promise<ParsedLines> {
  const lines = new ParsedLines();
  let text = '';
  for await (const chunk of decode(file, encoding)) {
    text += chunk.text;
    lines.encoding = chunk.encoding;
  }
  for (const [index, customer] of parseJsonCustomers(text).entries()) lines.add(index + 1, customer);
  return lines;
}

function parseJsonCustomers(text: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FileError(
      'the file is not valid JSON. A file with one JSON object per line must have the extension .ndjson',
    );
  }
  const list = Array.isArray(value) ? value : (value as { customers?: unknown } | null)?.customers;
  if (!Array.isArray(list)) throw new FileError('the file must contain a list of customers');
  return list;
}

/** Checks the encoding of NDJSON and counts its lines, without reading the complete file into memory. */
async function readLines(file: File, { encoding: label }: FileFormat): Promise<ImportFile> {
  const converted: string[] = [];
  let [count, endsWithLineFeed, encoding] = [0, true, 'utf-8'];
  for await (const { text, ...chunk } of decode(file, label)) {
    encoding = chunk.encoding;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
    if (text !== '') endsWithLineFeed = text.endsWith('\n');
    if (encoding === 'utf-8') continue;
    if (file.size > MAX_PARSED_BYTES) throw new FileError('a file that is not in UTF-8 can be up to 50 MB');
    converted.push(text);
  }
  return {
    name: file.name,
    body: encoding === 'utf-8' ? await withoutByteOrderMark(file) : new Blob(converted),
    lines: endsWithLineFeed ? count : count + 1,
    ...{ lineName: 'Line', encoding, delimiter: null, report: new LocalReport() },
    find: (line) => ({ position: line, email: null }),
  };
}

/** Returns the file without its byte order mark, if it has one. */
async function withoutByteOrderMark(file: File): Promise<Blob> {
  const start = new Uint8Array(await file.slice(0, 3).arrayBuffer());
  return start.join() === '239,187,191' ? file.slice(3) : file;
}

const decode = (file: File, encoding = 'utf-8'): ReturnType<typeof decodeChunks> =>
  decodeChunks(async function* () {
    for (let start = 0; start < file.size; start += CHUNK_BYTES)
      yield new Uint8Array(await file.slice(start, start + CHUNK_BYTES).arrayBuffer());
  }, encoding);

/** Returns an error message for a file that cannot be imported, in full sentences. */
export function describeFileError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  if (error instanceof EncodingError) return `${sentence} Select the encoding of the file.`;
  return message.startsWith('the column email')
    ? `${sentence} Known columns: ${customerFields.join(', ')}, metadata.<name>, publicMetadata.<name>.`
    : sentence;
}
