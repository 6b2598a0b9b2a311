import { Injectable } from '@nestjs/common';
import type { ManagingCaller } from '@gatehouse/auth';
import { uuidBytes, uuidText, type Customer } from '@gatehouse/domain';
import {
  CustomerDirectoryRepository,
  type CappedCount,
  type CustomerFilter,
  type CustomerPosition,
} from '@gatehouse/persistence';
import { CursorCodec } from '@gatehouse/platform';
import { timeOf } from '../http/fields.js';
import { DEFAULT_LIMIT, type Page } from '../http/paging.js';
import type { CountCustomersQuery, ListCustomersQuery } from './dto/list-customers.request.js';

const ID_BYTES = 16;

/** Finds customers. */
@Injectable()
export class CustomerDirectoryService {
  constructor(
    private readonly directory: CustomerDirectoryRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /** A page of the customers within the caller's reach. @throws GatehouseError `invalid_cursor` */
  async list({ reach }: ManagingCaller, query: ListCustomersQuery): Promise<Page<Customer>> {
    const filter = customerFilter(query);
    const list = ['customers', reach, filter];
    const after = query.cursor === undefined ? null : positionOf(this.cursors.openBytes(list, query.cursor));
    const limit = query.limit ?? DEFAULT_LIMIT;
    const { customers, next } = await this.directory.page(reach, filter, after, limit);
    return { items: customers, nextCursor: next && this.cursors.sealBytes(list, bytesOf(next)) };
  }

  /** How many there are, as far as a bounded look finds out. */
  count({ reach }: ManagingCaller, query: CountCustomersQuery): Promise<CappedCount> {
    return this.directory.count(reach, customerFilter(query));
  }
}

const bytesOf = ({ id, key }: CustomerPosition): Buffer => Buffer.concat([uuidBytes(id), Buffer.from(key)]);

const positionOf = (bytes: Buffer): CustomerPosition => ({
  id: uuidText(bytes.subarray(0, ID_BYTES)),
  key: bytes.subarray(ID_BYTES).toString(),
});

const customerFilter = (query: CountCustomersQuery): CustomerFilter => ({
  projectId: query.projectId ?? null,
  email: query.email ?? null,
  externalId: query.externalId ?? null,
  q: query.q ?? null,
  emailVerified: flag(query.emailVerified),
  disabled: flag(query.disabled),
  createdAfter: timeOf(query.createdAfter),
  createdBefore: timeOf(query.createdBefore),
  lastLoginAfter: timeOf(query.lastLoginAfter),
  lastLoginBefore: timeOf(query.lastLoginBefore),
});

const flag = (text: string | undefined): boolean | null => (text === undefined ? null : text === 'true');
