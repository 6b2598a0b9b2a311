import { Injectable } from '@nestjs/common';
import { parseSearchTerm, type AccessScope, type SearchTerm } from '@gatehouse/domain';
import { LookupsRepository } from '@gatehouse/persistence';

/** Search terms for a list, as entered by an operator. */
export interface SearchTerms {
  q?: string;
  customer_id?: string;
}

/** Conditions that the search terms resolve to. */
export interface SearchConditions {
  deliveryId?: string;
  attemptId?: string;
  eventId?: string;
  /**
   * Matches any of these endpoints. If there are too many, `endpointUrl` (the beginning of their URLs) or
   * `endpointName` (a part of their names) is set instead.
   */
  endpointIds?: string[];
  endpointUrl?: string;
  endpointName?: string;
  /** Matches any of these customers. */
  customerIds?: string[];
}

/** Resolves the ids, email addresses and URLs that operators enter to search lists. */
@Injectable()
export class SearchTermsService {
  constructor(private readonly lookups: LookupsRepository) {}

  /**
   * Returns the conditions for a list, or null if the terms match nothing within the access scope. For deliveries,
   * events and endpoints, the list itself checks the access scope.
   */
  async conditionsOf(
    { q, customer_id: customer }: SearchTerms,
    accessScope: AccessScope,
  ): Promise<SearchConditions | null> {
    if (customer && !(await this.lookups.isCustomerWithin(accessScope, customer))) return null;
    if (q === undefined) return customer ? { customerIds: [customer] } : {};
    const term = parseSearchTerm(q);
    const conditions = term
      ? await this.resolveReference(term, accessScope)
      : await this.findEndpointsByName(q, accessScope);
    if (!conditions || !customer) return conditions;
    const customers = conditions.customerIds ?? [customer];
    return customers.includes(customer) ? { ...conditions, customerIds: [customer] } : null;
  }

  private async resolveReference(
    term: SearchTerm,
    accessScope: AccessScope,
  ): Promise<SearchConditions | null> {
    switch (term.kind) {
      case 'delivery':
        return { deliveryId: term.id };
      case 'event':
        return { eventId: term.id };
      case 'endpoint':
        return { endpointIds: [term.id] };
      // In these lists, only customer ids have no prefix.
      case 'uuid':
        return (await this.lookups.isCustomerWithin(accessScope, term.id))
          ? { customerIds: [term.id] }
          : null;
      case 'attempt': {
        const deliveryId = await this.lookups.findDeliveryIdByAttempt(term.id);
        return deliveryId === null ? null : { deliveryId, attemptId: term.id };
      }
      case 'email': {
        const customerIds = await this.lookups.findCustomerIdsByEmail(accessScope, term.email);
        return customerIds.length > 0 ? { customerIds } : null;
      }
      case 'url':
        return this.findEndpointsByUrl(term.prefix, accessScope);
      case 'redelivery':
        return null;
    }
  }

  private async findEndpointsByUrl(
    start: string,
    accessScope: AccessScope,
  ): Promise<SearchConditions | null> {
    const endpointIds = await this.lookups.findEndpointIdsByUrl(accessScope, start);
    if (!endpointIds) return { endpointUrl: start };
    return endpointIds.length > 0 ? { endpointIds } : null;
  }

  private async findEndpointsByName(
    text: string,
    accessScope: AccessScope,
  ): Promise<SearchConditions | null> {
    const endpointIds = await this.lookups.findEndpointIdsByName(accessScope, text);
    if (!endpointIds) return { endpointName: text };
    return endpointIds.length > 0 ? { endpointIds } : null;
  }
}

/** Merges two conditions on the same id. Returns null if they contradict each other. */
export function intersectIds<T>(
  first: T | null | undefined,
  second: T | null | undefined,
): { id: T | null } | null {
  const [id = null] = [first, second].filter((each) => each !== null && each !== undefined);
  return (first ?? id) === id && (second ?? id) === id ? { id } : null;
}
