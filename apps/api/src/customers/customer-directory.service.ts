import { Injectable } from '@nestjs/common';
import type { SecretKeyCaller } from '#auth';
import { uuidBytes, uuidText, type Customer } from '#domain';
import { CustomerDirectoryRepository, type CustomerFilter, type CustomerPosition } from '#persistence';
import { CursorCodec } from '#platform';
import { DEFAULT_LIMIT, type Page } from '../http/paging.js';
import type { ListCustomersQuery } from './dto/list-customers.request.js';

const ID_BYTES = 16;

/** Finds customers. */
@Injectable()
export class CustomerDirectory {
  constructor(
    private readonly directory: CustomerDirectoryRepository,
    private readonly cursors: CursorCodec,
  ) {}

  /** A page of the customers within the caller's reach. @throws GatehouseError `invalid_cursor` */
  async list({ reach }: SecretKeyCaller, query: ListCustomersQuery): Promise<Page<Customer>> {
    const filter = customerFilter(query);
    const list = ['customers', reach, filter];
    const after = query.cursor === undefined ? null : positionOf(this.cursors.openBytes(list, query.cursor));
    const limit = query.limit ?? DEFAULT_LIMIT;
    const { customers, next } = await this.directory.page(reach, filter, after, limit);
    return { items: customers, nextCursor: next && this.cursors.sealBytes(list, bytesOf(next)) };
  }
}

const bytesOf = ({ id, key }: CustomerPosition): Buffer => Buffer.concat([uuidBytes(id), Buffer.from(key)]);

const positionOf = (bytes: Buffer): CustomerPosition => ({
  id: uuidText(bytes.subarray(0, ID_BYTES)),
  key: bytes.subarray(ID_BYTES).toString(),
});

const customerFilter = (query: ListCustomersQuery): CustomerFilter => ({
  projectId: query.projectId ?? null,
  email: query.email ?? null,
  externalId: query.externalId ?? null,
  q: query.q ?? null,
  emailVerified: flag(query.emailVerified),
  disabled: flag(query.disabled),
  createdAfter: moment(query.createdAfter),
  createdBefore: moment(query.createdBefore),
  lastLoginAfter: moment(query.lastLoginAfter),
  lastLoginBefore: moment(query.lastLoginBefore),
});

const flag = (text: string | undefined): boolean | null => (text === undefined ? null : text === 'true');

const moment = (text: string | undefined): Date | null => (text === undefined ? null : new Date(text));
