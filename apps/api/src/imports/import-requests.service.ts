import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { GatehouseError, uuidFromBytes, type AccessScope } from '@gatehouse/domain';
import { newId, sha256 } from '@gatehouse/platform';
import { isNdjson } from '../http/bodies/body-reader.js';
import { allowLongBody } from '../http/http-server.js';
import { InputPipe } from '../http/input/input.pipe.js';
import type { PageQuery } from '../http/lists/paging.js';
import { getClient, type GatehouseRequest } from '../http/request-context.js';
import { ImportCustomersRequest, type ImportQuery } from './dto/import.request.js';
import {
  ImportDetailResponse,
  ImportResultsResponse,
  ImportResponse,
  ImportResultResponse,
} from './dto/import.response.js';
import { ImportDryRunsService } from './import-dry-runs.service.js';
import { ImportsService } from './imports.service.js';

/** Handles both import formats: a JSON list that has already been read, and NDJSON that is still to be read. */
@Injectable()
export class ImportRequestsService {
  private readonly input = new InputPipe();

  constructor(
    private readonly imports: ImportsService,
    private readonly dryRuns: ImportDryRunsService,
  ) {}

  /**
   * Runs an import.
   * @throws GatehouseError with the same codes as `ImportsService`, `validation_failed`, `invalid_json`
   */
  run(
    caller: ManagementCaller,
    query: ImportQuery,
    body: unknown,
    request: GatehouseRequest,
  ): Promise<ImportResultsResponse | ImportDetailResponse> {
    return isNdjson(request)
      ? this.importLines(caller, query, request)
      : this.importList(caller, query, body, request);
  }

  /** @throws GatehouseError `not_found`, `invalid_cursor` */
  async get(accessScope: AccessScope, id: string, query: PageQuery): Promise<ImportDetailResponse> {
    const { customerImport, failures } = await this.imports.get(accessScope, id, query);
    return ImportDetailResponse.fromImport(customerImport, failures);
  }

  private async importList(
    caller: ManagementCaller,
    query: ImportQuery,
    body: unknown,
    request: GatehouseRequest,
  ): Promise<ImportResultsResponse> {
    const errors = Object.keys(query).map((field) => ({
      field,
      code: 'unknown_field',
      message: `${field} is allowed in the query only with application/x-ndjson`,
    }));
    if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
    const target = { type: 'body', metatype: ImportCustomersRequest } as const;
    const input = this.input.transform(body, target) as ImportCustomersRequest;
    const { signal } = getClient(request);
    const { dryRun = false } = input;
    const { customerImport, results } = dryRun
      ? await this.dryRuns.checkList(caller, input, signal)
      : await this.imports.importList(caller, input, signal);
    return {
      ...ImportResponse.from(customerImport, dryRun),
      results: results.map((result) => ImportResultResponse.from(result)),
    };
  }

  private async importLines(
    caller: ManagementCaller,
    query: ImportQuery,
    request: GatehouseRequest,
  ): Promise<ImportDetailResponse> {
    allowLongBody(request);
    const options = {
      importId: query.importId ?? importIdFromKey(request.get('idempotency-key')) ?? newId(),
      projectId: query.projectId,
      emitEvents: query.emitEvents === 'true',
      allowFastHashes: query.allowFastHashes === 'true',
      update: query.update === 'true',
      signal: getClient(request).signal,
    };
    if (query.dryRun === 'true')
      return ImportDetailResponse.fromDryRun(
        await this.dryRuns.checkLines(
          caller,
          { ...options, holdMemory: (bytes) => request.memory?.grow(bytes) },
          request,
        ),
      );
    const customerImport = await this.imports.importLines(caller, options, request);
    return this.get({ ...caller.accessScope, projectId: customerImport.projectId }, customerImport.id, {});
  }
}

/**
 * Derives an import id from an idempotency key: a version 8 UUID (RFC 9562, section 5.8), which may contain any data.
 * The same key always results in the same id.
 */
function importIdFromKey(key: string | undefined): string | null {
  if (key === undefined) return null;
  const bytes = sha256(key).subarray(0, 16);
  bytes[6] = 0x80 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return uuidFromBytes(bytes);
}
