import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import type { ManagementCaller } from '@gatehouse/auth';
import type { CustomerImport, ImportLineResult } from '@gatehouse/domain';
import { newId, now } from '@gatehouse/platform';
import type { ImportCustomersRequest } from './dto/import.request.js';
import { ImportAccessService } from './import-access.service.js';
import { ImportLinesService } from './import-lines.service.js';
import { ImportWriterService } from './import-writer.service.js';
import type { ImportOptions } from './imports.service.js';
import { readBatches, readLines } from './ndjson.js';

/** Number of failed lines, and number of skipped lines, in the response to a dry run. */
const MAX_REPORTED = 1_000;

/** The result of a dry run. */
export interface DryRun {
  customerImport: CustomerImport;
  /** The first lines that would create no customer. */
  failures: ImportLineResult[];
  /** True if there are more of them. */
  hasMoreFailures: boolean;
}

/**
 * Imports customers without writing them. Each batch runs in a transaction that is rolled back, so that its results are
 * those of an import. A line does not conflict with a line of another batch.
 */
@Injectable()
export class ImportDryRunsService {
  constructor(
    private readonly access: ImportAccessService,
    private readonly lines: ImportLinesService,
    private readonly writer: ImportWriterService,
  ) {}

  /** @throws GatehouseError like `ImportsService.importList` */
  async checkList(
    caller: ManagementCaller,
    input: ImportCustomersRequest,
    signal: AbortSignal,
  ): Promise<{ customerImport: CustomerImport; results: ImportLineResult[] }> {
    const project = await this.access.getProject(caller, input.projectId);
    const options = { signal, isDryRun: true, allowFastHashes: input.allowFastHashes };
    const validated = await this.lines.validateList(project, input.customers, options);
    const results = await this.writer.rehearse(project, validated);
    const summary = new Summary(newId(), project.id);
    summary.add(results, results.length);
    return { customerImport: summary.finish(), results };
  }

  /** @throws GatehouseError like `ImportsService.importLines`, except `conflict` */
  async checkLines(caller: ManagementCaller, options: ImportOptions, body: Readable): Promise<DryRun> {
    const { importId, projectId } = options;
    const project = await this.access.getProject(caller, projectId);
    const summary = new Summary(importId, project.id);
    for await (const { lines, lastLine } of readBatches(readLines(body), nothingImported)) {
      const validated = await this.lines.validateLines(project, lines, { ...options, isDryRun: true });
      await this.access.assertStillAllowed(caller, project.id);
      summary.add(await this.writer.rehearse(project, validated), lastLine);
    }
    const { failures, hasMoreFailures } = summary;
    return { customerImport: summary.finish(), failures, hasMoreFailures };
  }
}

const nothingImported = { lastLine: 0, matches: () => false, claim: () => Promise.resolve(null) };

/** Counts the results of a dry run. */
class Summary {
  readonly failures: ImportLineResult[] = [];
  private readonly counts = { created: 0, skipped: 0, failed: 0 };
  private weakHashes = 0;
  private lastLine = 0;
  private readonly createdAt = now();

  constructor(
    private readonly id: string,
    private readonly projectId: string,
  ) {}

  add(results: ImportLineResult[], lastLine: number): void {
    this.lastLine = lastLine;
    for (const result of results) {
      this.counts[result.status] += 1;
      if (result.hasWeakHash) this.weakHashes += 1;
      if (result.status !== 'created' && this.counts[result.status] <= MAX_REPORTED)
        this.failures.push(result);
    }
  }

  get hasMoreFailures(): boolean {
    return this.counts.skipped + this.counts.failed > this.failures.length;
  }

  finish(): CustomerImport {
    const { id, projectId, weakHashes, lastLine, createdAt } = this;
    const finishedAt = now();
    return {
      ...{ id, projectId, state: 'completed', ...this.counts, weakHashes, lastLine },
      ...{ createdAt, updatedAt: finishedAt, finishedAt },
    };
  }
}
