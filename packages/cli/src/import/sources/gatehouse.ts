import { usageError } from '../../cli-error.js';
import {
  customerFields,
  isTarget,
  RowConverter,
  type CellProblem,
} from '../../console-shared/customer-rows.js';
import type { JsonObject } from '../../json-object.js';
import { fitCustomer } from '../fit-metadata.js';
import { isCsv, readColumns, readObjects, readTable, toPosition } from '../read-files.js';
import { unreadableFileError } from '../read-text.js';
import { reasons, type Reason } from '../reasons.js';
import { exceedsDepth, hasInexactInteger, notImported, toText } from '../source-fields.js';
import type { ImportedCustomer, ImportSource, LeftOut, SourceRecord } from '../source.js';

/** Maximum nesting depth of a line. */
const MAX_DEPTH = 20;

const problems: Record<CellProblem, Reason> = {
  unknown_column: reasons.noColumn,
  not_an_object: reasons.cellNotObject,
  not_a_list: reasons.cellNotList,
  metadata_name_taken: reasons.metadataNameTaken,
};

/**
 * Reads customers in Gatehouse's own import and export format, or in CSV whose columns are fields (docs/imports.md).
 * The server checks the fields.
 */
export const gatehouse: ImportSource = {
  name: 'gatehouse',
  files:
    'one JSON object per line, or a JSON array, in the format of `gatehouse customers export`, or CSV whose columns are fields',
  providers: {},
  options: [
    {
      flags: '--map <column=field>',
      description:
        'field for a column in CSV files, such as plan=metadata.plan; an empty field ignores the column; repeatable',
      isRepeatable: true,
    },
  ],
  async *read(files, { lists }) {
    const mapping = parseMapping(lists?.['map'] ?? []);
    const converters = await createConverters(files.filter(isCsv), mapping);
    for (const file of files) {
      const converter = converters.get(file);
      yield* converter ? readCustomers(file, converter) : readDocument(file);
    }
  },
};

async function* readDocument(file: string): AsyncGenerator<SourceRecord> {
  for await (const { position, value } of readObjects(file))
    yield value ? toRecord(position, value, []) : notImported(position, null, '', reasons.invalidRecord);
}

async function* readCustomers(file: string, converter: RowConverter): AsyncGenerator<SourceRecord> {
  for await (const { rows } of readTable(file))
    for (const { line, cells } of rows) {
      const position = toPosition(file, line);
      if (!cells) {
        yield notImported(position, null, '', reasons.wrongCells);
        continue;
      }
      const { customer, leftOut } = converter.convert(cells);
      const named = leftOut.map(({ column, problem }) => ({ field: column, ...problems[problem] }));
      yield toRecord(position, customer, named);
    }
}

function toRecord(position: string, value: JsonObject, leftOut: LeftOut[]): SourceRecord {
  const sourceId = toText(value['id']) || toText(value['externalId']) || null;
  const { fitted, leftOut: tooLarge } = fitCustomer(value);
  leftOut.push(...tooLarge);
  if (exceedsDepth(fitted, MAX_DEPTH)) return notImported(position, sourceId, '', reasons.invalidRecord);
  if (hasInexactInteger(fitted)) return notImported(position, sourceId, '', reasons.inexactInteger);
  // The server would reject the line, but would not count it as a user without an email address.
  if (!fitted['email']) leftOut.unshift({ field: 'email', ...reasons.noEmail });
  return {
    position,
    sourceId,
    customer: fitted['email'] ? (fitted as unknown as ImportedCustomer) : null,
    leftOut,
  };
}

/** Parses pairs of `column=field`. @returns the fields by column @throws CliError for an unknown field */
function parseMapping(pairs: readonly string[]): Map<string, string> {
  const mapping = new Map<string, string>();
  for (const pair of pairs) {
    // Unlike a field name, a column name can contain an equals sign.
    const at = pair.lastIndexOf('=');
    const [column, field] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    if (at < 0 || column === '') throw usageError(`--map ${pair} is not <column>=<field>.`);
    if (field !== '' && !isTarget(field))
      throw usageError(
        `Customers have no field ${field}.`,
        `Their fields: ${customerFields.join(', ')}, metadata.<key>, publicMetadata.<key>.`,
      );
    mapping.set(column, field);
  }
  return mapping;
}

/**
 * Returns the converter for each CSV file.
 * @throws CliError for a mapped column that no file has, or a file without a column for email addresses
 */
async function createConverters(
  files: readonly string[],
  mapping: ReadonlyMap<string, string>,
): Promise<Map<string, RowConverter>> {
  const converters = new Map<string, RowConverter>();
  const known = new Set<string>();
  for (const file of files) {
    const columns = await readColumns(file);
    for (const column of columns) known.add(column);
    try {
      converters.set(file, new RowConverter(columns, mapping));
    } catch (error) {
      throw usageError(
        unreadableFileError(file, error).message,
        `Its columns: ${columns.join(', ') || 'none'}. Pass --map <column>=<field>, such as --map mail=email.`,
      );
    }
  }
  const missing = [...mapping.keys()].find((column) => !known.has(column));
  if (missing === undefined) return converters;
  const names = known.size > 0 ? `Their columns: ${[...known].join(', ')}.` : '--map requires a CSV file.';
  throw usageError(`The files have no column ${missing}.`, names);
}
