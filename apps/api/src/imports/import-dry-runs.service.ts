import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { ManagementCaller } from '@gatehouse/auth';
import {
  countResults,
  listedKind,
  zeroImportCounts,
  type CustomerImport,
  type ImportCounts,
  type ImportLineResult,
} from '@gatehouse/domain';
import { newId, now } from '@gatehouse/platform';
import type { ImportCustomersRequest } from './dto/import.request.js';
import { UniqueValues } from './seen-values.js';
import { ImportAccessService } from './import-access.service.js';
import { ImportLinesService } from './import-lines.service.js';
import { ImportWriterService } from './import-writer.service.js';
import type { ImportOptions } from './imports.service.js';
import { readBatches, readLines } from './ndjson.js';

/** Maximum number of lines of each kind in the response to a dry run. */
const MAX_REPORTED = 1_000;

export interface DryRunOptions extends ImportOptions {
  /**
   * Reserves additional memory.
   * @throws GatehouseError `overloaded`, `payload_too_large`
   */
  holdMemory: (bytes: number) => void;
}

/** The result of a dry run. */
export interface DryRun {
  customerImport: CustomerImport;
  /** The first lines of each kind that an import would list. */
  failures: ImportLineResult[];
  /** True if `failures` does not contain all failures. */
  hasMoreFailures: boolean;
}

/**
 * Runs imports without storing anything. Each batch runs in a transaction that is rolled back, so its results are the
 * same as in an import. The unique values of earlier batches are kept in memory.
 */
@Injectable()
export class ImportDryRunsService {
  constructor(
    private readonly access: ImportAccessService,
    private readonly lines: ImportLinesService,
    private readonly writer: ImportWriterService,
  ) {}

  /**
   * @throws GatehouseError with the same codes as `ImportsService.importList`
   */
  async checkList(
    caller: ManagementCaller,
    input: ImportCustomersRequest,
    signal: AbortSignal,
  ): Promise<{ customerImport: CustomerImport; results: ImportLineResult[] }> {
    const project = await this.access.getProject(caller, input.projectId);
    const { customers, update = false, allowFastHashes } = input;
    const options = { signal, isDryRun: true, allowFastHashes };
    const validated = await this.lines.validateList(project, customers, options);
    const results = await this.writer.writeAndRollBack(project, validated, update, new UniqueValues(noHold));
    const summary = new Summary(newId(), project.id);
    summary.add(results, results.length);
    return { customerImport: summary.finish(), results };
  }

  /**
   * @throws GatehouseError with the same codes as `ImportsService.importLines`, except `conflict`
   */
  async checkLines(caller: ManagementCaller, options: DryRunOptions, body: Readable): Promise<DryRun> {
    const { importId, projectId, update, holdMemory } = options;
    const seen = new UniqueValues(holdMemory);
    const project = await this.access.getProject(caller, projectId);
    const summary = new Summary(importId, project.id);
    for await (const { lines, lastLine } of readBatches(readLines(body), nothingImported)) {
      const validated = await this.lines.validateLines(project, lines, { ...options, isDryRun: true });
      await this.access.assertStillAllowed(caller, project.id);
      summary.add(await this.writer.writeAndRollBack(project, validated, update, seen), lastLine);
    }
    const { failures, hasMoreFailures } = summary;
    return { customerImport: summary.finish(), failures, hasMoreFailures };
  }
}

const nothingImported = { lastLine: 0, matches: () => false, claim: () => Promise.resolve(null) };

/** Reserves no memory, because a list has at most 1,000 customers. */
const noHold = (): void => undefined;

/** Counts a dry run's results. */
class Summary {
  readonly failures: ImportLineResult[] = [];
  private readonly counts = { ...zeroImportCounts };
  private readonly listed = { failed: 0, skipped: 0, unchanged: 0, incomplete: 0 };
  hasMoreFailures = false;
  private lastLine = 0;
  private readonly createdAt = now();

  constructor(
    private readonly id: string,
    private readonly projectId: string,
  ) {}

  add(results: ImportLineResult[], lastLine: number): void {
    this.lastLine = lastLine;
    for (const [name, count] of Object.entries(countResults(results)))
      this.counts[name as keyof ImportCounts] += count;
    for (const result of results) {
      const kind = listedKind(result);
      if (kind === null) continue;
      if (this.listed[kind] < MAX_REPORTED) this.failures.push(result);
      else this.hasMoreFailures = true;
      this.listed[kind] += 1;
    }
  }

  finish(): CustomerImport {
    const { id, projectId, lastLine, createdAt } = this;
    const finishedAt = now();
    return {
      ...{ id, projectId, state: 'completed', ...this.counts, lastLine },
      ...{ createdAt, updatedAt: finishedAt, finishedAt },
    };
  }
}
