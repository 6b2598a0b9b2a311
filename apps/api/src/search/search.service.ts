import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { parseSearchTerm, type Customer, type Reach } from '@gatehouse/domain';
import {
  CustomerDirectoryRepository,
  emptyCustomerFilter,
  SearchRepository,
  type SearchResult,
} from '@gatehouse/persistence';

/** Most that is found at once. */
const MAX_RESULTS = 10;

/** Of them what is no customer, where there are customers. */
const MAX_OTHER_RESULTS = 5;

/** The least that names of customers are looked for by. */
const MIN_NAME_LENGTH = 2;

/** Finds anything in the house by what an operator pastes or types. */
@Injectable()
export class SearchService {
  constructor(
    private readonly searchRepository: SearchRepository,
    private readonly customers: CustomerDirectoryRepository,
  ) {}

  /** What is meant by the text, at most ten. */
  async find({ reach }: ManagementCaller, text: string): Promise<SearchResult[]> {
    const named = parseSearchTerm(text);
    if (!named) return this.findByPrefix(reach, text);
    if (named.kind === 'email') return this.findByPrefix(reach, named.email);
    if (named.kind === 'url') return this.searchRepository.findEndpointsByUrl(named.prefix, MAX_RESULTS);
    return this.searchRepository.findById(named.id, named.kind === 'uuid' ? null : named.kind);
  }

  private async findByPrefix(reach: Reach, text: string): Promise<SearchResult[]> {
    const [others, { customers }] = await Promise.all([
      this.searchRepository.findByPrefix(text, MAX_OTHER_RESULTS),
      text.length < MIN_NAME_LENGTH
        ? { customers: [] }
        : this.customers.listPage(reach, { ...emptyCustomerFilter, q: text }, null, MAX_RESULTS),
    ]);
    return [...others, ...customers.map(toCustomerResult)].slice(0, MAX_RESULTS);
  }
}

const toCustomerResult = ({ id, projectId, email, firstName, lastName }: Customer): SearchResult => ({
  kind: 'customer',
  id,
  title: email,
  subtitle: [firstName, lastName].filter(Boolean).join(' '),
  projectId,
});
