import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { uuidToBytes, formatUuid, type Customer } from '@gatehouse/domain';
import {
  CustomerDirectoryRepository,
  CustomerLocksRepository,
  hasTrigram,
  type CappedCount,
  type CustomerFilter,
  type CustomerLock,
  type CustomerPosition,
} from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { DEFAULT_LIMIT, type Page } from '../http/lists/paging.js';
import { parseTime, parseUpperBound } from '../http/input/time-field.js';
import type {
  CountOperatorCustomersQuery,
  ListOperatorCustomersQuery,
} from './dto/list-customers.request.js';

const ID_BYTES = 16;

/** Lists and counts customers. */
@Injectable()
export class CustomerDirectoryService {
  constructor(
    private readonly directory: CustomerDirectoryRepository,
    private readonly locks: CustomerLocksRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /** Returns a page of customers within the caller's access scope. @throws GatehouseError `invalid_cursor` */
  async list(caller: ManagementCaller, query: ListOperatorCustomersQuery): Promise<Page<Customer>> {
    const list = ['customers', caller.accessScope, customerFilter(caller, query)];
    const after =
      query.cursor === undefined ? null : decodePosition(this.cursors.decodeBytes(list, query.cursor));
    const limit = query.limit ?? DEFAULT_LIMIT;
    const { items, next } = await this.page(caller, query, after, limit);
    return { items, nextCursor: next && this.cursors.encodeBytes(list, encodePosition(next)) };
  }

  /** Returns up to `limit` customers within the caller's access scope. @param after the previous page's last position */
  async page(
    caller: ManagementCaller,
    query: CountOperatorCustomersQuery,
    after: CustomerPosition | null,
    limit: number,
  ): Promise<{ items: Customer[]; next: CustomerPosition | null }> {
    const filter = customerFilter(caller, query);
    const { customers, next } = await this.directory.listPage(caller.accessScope, filter, after, limit);
    return { items: customers, next };
  }

  /** Returns the locks of locked customers, by customer id. Callers must check the access scope. */
  findLocks(customers: readonly Customer[]): Promise<Map<string, CustomerLock>> {
    return this.locks.find(customers);
  }

  /** Counts matching customers with a bounded scan. */
  count(caller: ManagementCaller, query: CountOperatorCustomersQuery): Promise<CappedCount> {
    return this.directory.count(caller.accessScope, customerFilter(caller, query));
  }
}

const encodePosition = ({ id, key }: CustomerPosition): Buffer =>
  Buffer.concat([uuidToBytes(id), Buffer.from(key)]);

const decodePosition = (bytes: Buffer): CustomerPosition => ({
  id: formatUuid(bytes.subarray(0, ID_BYTES)),
  key: bytes.subarray(ID_BYTES).toString(),
});

const customerFilter = (caller: ManagementCaller, query: CountOperatorCustomersQuery): CustomerFilter => ({
  projectId: query.projectId ?? null,
  email: query.email ?? null,
  externalId: query.externalId ?? null,
  ...textFilter(caller, query.q ?? null),
  emailVerified: parseFlag(query.emailVerified),
  disabled: parseFlag(query.disabled),
  locked: query.locked === 'true',
  createdAfter: parseTime(query.createdAfter),
  createdBefore: parseUpperBound(query.createdBefore),
  lastLoginAfter: parseTime(query.lastLoginAfter),
  lastLoginBefore: parseUpperBound(query.lastLoginBefore),
});

/**
 * Operators search for `q` anywhere in a value. Keys search for it as a prefix, with results in alphabetical
 * order.
 */
const textFilter = ({ kind }: ManagementCaller, q: string | null): Pick<CustomerFilter, 'q' | 'contains'> =>
  kind === 'operator' && q !== null && hasTrigram(q) ? { q: null, contains: q } : { q, contains: null };

const parseFlag = (text: string | undefined): boolean | null => (text === undefined ? null : text === 'true');
