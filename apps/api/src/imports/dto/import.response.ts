import { ApiProperty } from '@nestjs/swagger';
import type {
  CustomerImport,
  FieldError,
  ImportState,
  ImportLineResult,
  ImportLineStatus,
} from '@gatehouse/domain';
import { camelList, type Page } from '../../http/lists/paging.js';
import { cursorSchema } from '../../http/input/text-schemas.js';
import type { DryRun } from '../import-dry-runs.service.js';

class LineErrorResponse {
  @ApiProperty({ description: 'Path of the field. Empty if the error concerns the entire line' })
  field!: string;
  @ApiProperty() code!: string;
  @ApiProperty() message!: string;
}

class LineWarningResponse {
  @ApiProperty({ description: 'Path of the value that was left out. Empty if several values were left out' })
  field!: string;
  @ApiProperty() code!: string;
  @ApiProperty({ description: 'The reason, and what to do about it' }) message!: string;
}

/** The result for one customer in an import. */
class OutcomeResponse {
  @ApiProperty({ enum: ['created', 'updated', 'skipped', 'failed'] }) status!: ImportLineStatus;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description:
      'Id of the created or updated customer, or of the customer who already has the email address or the id',
  })
  id!: string | null;

  @ApiProperty({ type: [LineErrorResponse], description: 'Reasons why no customer was created or updated' })
  errors!: FieldError[];

  @ApiProperty({
    type: [LineWarningResponse],
    description: 'Values of the line that the customer does not have, at most 20',
  })
  warnings!: FieldError[];

  protected static outcome(result: ImportLineResult): OutcomeResponse {
    const { status, customerId: id, errors, warnings } = result;
    return { status, id, errors, warnings };
  }
}

/** The result for one customer in a JSON body. */
export class ImportResultResponse extends OutcomeResponse {
  @ApiProperty({ description: 'Position in the list, starting at 0' }) index!: number;

  static from(result: ImportLineResult): ImportResultResponse {
    return { index: result.line - 1, ...OutcomeResponse.outcome(result) };
  }
}

/** A line that did not create or update a customer, or that was imported without some of its values. */
export class ImportFailureResponse extends OutcomeResponse {
  @ApiProperty({ description: 'Line number, starting at 1' }) line!: number;

  static from(result: ImportLineResult): ImportFailureResponse {
    return { line: result.line, ...OutcomeResponse.outcome(result) };
  }
}

/** An import and its progress. */
export class ImportResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) projectId!: string;
  @ApiProperty({ enum: ['running', 'interrupted', 'completed'] }) state!: ImportState;
  @ApiProperty({
    description:
      'True for the response to a dry run: no customer was created, and the import is not stored. `created` is the number of customers that an import would create',
  })
  dryRun!: boolean;
  @ApiProperty({ description: 'Customers processed so far: created, updated, skipped and failed' })
  total!: number;
  @ApiProperty() created!: number;
  @ApiProperty({ description: 'Customers that were changed. 0 without `update`' }) updated!: number;
  @ApiProperty({
    description:
      'Customers whose email address was already registered, and those to whom an update did not apply. They are unchanged',
  })
  skipped!: number;
  @ApiProperty() failed!: number;
  @ApiProperty({
    description: 'Skipped customers that are at least as new as their line, or already have its values',
  })
  unchanged!: number;
  @ApiProperty({ description: 'Customers that lack a value from their line: those with `warnings`' })
  incomplete!: number;
  @ApiProperty({
    description:
      'Customers that were created with, or updated to, a `passwordHash` that is cheaper to guess than OWASP recommends',
  })
  weakHashes!: number;
  @ApiProperty({
    description: 'Number of the last processed line, counting blank lines. 0 if no line has been processed',
  })
  lastLine!: number;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ format: 'date-time' }) updatedAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finishedAt!: string | null;

  static from(customerImport: CustomerImport, dryRun = false): ImportResponse {
    const { id, projectId, state, created, updated, skipped, failed } = customerImport;
    const { unchanged, incomplete, weakHashes, lastLine } = customerImport;
    return {
      id,
      projectId,
      state,
      dryRun,
      total: created + updated + skipped + failed,
      created,
      updated,
      skipped,
      failed,
      unchanged,
      incomplete,
      weakHashes,
      lastLine,
      createdAt: customerImport.createdAt.toISOString(),
      updatedAt: customerImport.updatedAt.toISOString(),
      finishedAt: customerImport.finishedAt?.toISOString() ?? null,
    };
  }
}

/** Response to a JSON body, with the result for each customer in order. */
export class ImportResultsResponse extends ImportResponse {
  @ApiProperty({ type: [ImportResultResponse] }) results!: ImportResultResponse[];
}

class ImportFailuresResponse {
  @ApiProperty({ type: [ImportFailureResponse] }) data!: ImportFailureResponse[];
  @ApiProperty({ ...cursorSchema, type: String, nullable: true }) nextCursor!: string | null;
  @ApiProperty() hasMore!: boolean;
}

/**
 * An import with a page of its failures: lines that did not create or update a customer, or were imported without
 * some of their values.
 */
export class ImportDetailResponse extends ImportResponse {
  @ApiProperty({
    type: ImportFailuresResponse,
    description:
      'Lines that did not create or update a customer, and lines with omitted values, in order: the first 10,000 of each kind (failed, skipped, unchanged, incomplete)',
  })
  failures!: ImportFailuresResponse;

  static fromImport(
    customerImport: CustomerImport,
    { items, nextCursor }: Page<ImportLineResult>,
  ): ImportDetailResponse {
    const page = items.map((failure) => ImportFailureResponse.from(failure));
    return { ...ImportResponse.from(customerImport), failures: camelList(page, nextCursor) };
  }

  static fromDryRun({ customerImport, failures, hasMoreFailures }: DryRun): ImportDetailResponse {
    const data = failures.map((failure) => ImportFailureResponse.from(failure));
    return {
      ...ImportResponse.from(customerImport, true),
      failures: { data, nextCursor: null, hasMore: hasMoreFailures },
    };
  }
}
