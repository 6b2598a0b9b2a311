import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { DeadLettersRepository, type DeadLetterRecord } from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { readScannedPage, type Page } from '../http/lists/paging.js';
import { deliveryFilter } from './delivery-filter.js';
import type { ListDeadLettersQuery } from './dto/dead-letter.request.js';

/** Lists dead letters. */
@Injectable()
export class DeadLettersService {
  constructor(
    private readonly deadLetters: DeadLettersRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /**
   * Returns a page of dead letters that the caller can access, newest first.
   * @throws GatehouseError `invalid_cursor`
   */
  list({ accessScope }: ManagementCaller, query: ListDeadLettersQuery): Promise<Page<DeadLetterRecord>> {
    const filter = deliveryFilter(query);
    return readScannedPage(this.cursors, ['dead-letters', accessScope, filter], query, (before, limit) =>
      this.deadLetters.listPage(accessScope, filter, before, limit),
    );
  }
}
