import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { parseSearchTerm, type Customer, type AccessScope } from '@gatehouse/domain';
import {
  CustomerDirectoryRepository,
  emptyCustomerFilter,
  hasTrigram,
  SearchRepository,
  type SearchResult,
} from '@gatehouse/persistence';
import { rankResults } from './rank-results.js';

/** Maximum number of results. */
const MAX_RESULTS = 10;

/** Maximum number of results of other types if there are enough customers. */
const MAX_OTHER_RESULTS = 5;

/** Minimum length of a text that is compared with customer names. */
const MIN_NAME_LENGTH = 2;

/** Finds resources of any type by a text that an operator enters. */
@Injectable()
export class SearchService {
  constructor(
    private readonly searchRepository: SearchRepository,
    private readonly customers: CustomerDirectoryRepository,
  ) {}

  /**
   * Returns at most ten resources within the caller's access scope that match the text: exact matches, then those that
   * begin with it, then others.
   */
  async find({ accessScope }: ManagementCaller, text: string): Promise<SearchResult[]> {
    const term = parseSearchTerm(text);
    if (term && 'id' in term)
      return this.searchRepository.findById(accessScope, term.id, term.kind === 'uuid' ? null : term.kind);
    return this.findByText(accessScope, term?.kind === 'email' ? term.email : text);
  }

  private async findByText(accessScope: AccessScope, text: string): Promise<SearchResult[]> {
    const [others, customers] = await Promise.all([
      this.searchRepository.findByText(accessScope, text, MAX_RESULTS),
      this.findCustomers(accessScope, text),
    ]);
    const maxOthers = Math.max(MAX_OTHER_RESULTS, MAX_RESULTS - customers.length);
    return rankResults(text, [...rankResults(text, others).slice(0, maxOthers), ...customers]).slice(
      0,
      MAX_RESULTS,
    );
  }

  /**
   * Returns customers whose email address or name begins with the text, in alphabetical order. If there are few, also
   * returns other customers whose email address or name contains the text.
   */
  private async findCustomers(accessScope: AccessScope, text: string): Promise<SearchResult[]> {
    if (text.length < MIN_NAME_LENGTH) return [];
    const filter = { ...emptyCustomerFilter, q: text };
    const { customers } = await this.customers.listPage(accessScope, filter, null, MAX_RESULTS);
    const others =
      customers.length < MAX_RESULTS && hasTrigram(text)
        ? await this.customers.findContaining(accessScope, text, MAX_RESULTS)
        : [];
    const results = [...customers, ...others].map(toCustomerResult);
    return [...new Map(results.map((result) => [result.id, result])).values()];
  }
}

const toCustomerResult = ({ id, projectId, email, firstName, lastName }: Customer): SearchResult => ({
  kind: 'customer',
  id,
  title: email,
  subtitle: [firstName, lastName].filter(Boolean).join(' '),
  projectId,
});
