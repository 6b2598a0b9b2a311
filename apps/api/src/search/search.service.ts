import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { parseSearchTerm, type Customer, type Reach } from '@gatehouse/domain';
import {
  CustomerDirectoryRepository,
  emptyCustomerFilter,
  SearchRepository,
  type SearchResult,
} from '@gatehouse/persistence';

/** Maximum number of results. */
const MAX_RESULTS = 10;

/** Maximum number of results of a prefix search that are not customers. */
const MAX_OTHER_RESULTS = 5;

/** Minimum length of the text for a search by customer name. */
const MIN_NAME_LENGTH = 2;

/** Finds resources of any type by the text that an operator enters. */
@Injectable()
export class SearchService {
  constructor(
    private readonly searchRepository: SearchRepository,
    private readonly customers: CustomerDirectoryRepository,
  ) {}

  /** Returns the resources within the caller's reach that match the text, at most ten. */
  async find({ reach }: ManagementCaller, text: string): Promise<SearchResult[]> {
    const term = parseSearchTerm(text);
    if (!term) return this.findByPrefix(reach, text);
    if (term.kind === 'email') return this.findByPrefix(reach, term.email);
    if (term.kind === 'url') return this.searchRepository.findEndpointsByUrl(reach, term.prefix, MAX_RESULTS);
    return this.searchRepository.findById(reach, term.id, term.kind === 'uuid' ? null : term.kind);
  }

  private async findByPrefix(reach: Reach, text: string): Promise<SearchResult[]> {
    const [others, { customers }] = await Promise.all([
      this.searchRepository.findByPrefix(reach, text, MAX_OTHER_RESULTS),
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
