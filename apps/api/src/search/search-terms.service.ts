import { Injectable } from '@nestjs/common';
import { parseSearchTerm, type SearchTerm } from '@gatehouse/domain';
import { LookupsRepository } from '@gatehouse/persistence';

/** The search terms of a list, as an operator enters them. */
export interface SearchTerms {
  q?: string;
  customer_id?: string;
}

/** The conditions that search terms resolve to. */
export interface SearchConditions {
  deliveryId?: string;
  attemptId?: string;
  eventId?: string;
  /**
   * Any of these endpoints. If there are too many, `endpointUrl` is set instead, the start of their URLs, or
   * `endpointName`, a part of their names.
   */
  endpointIds?: string[];
  endpointUrl?: string;
  endpointName?: string;
  /** Any of these customers. */
  customerIds?: string[];
}

/** Resolves the ids, email addresses and URLs that operators search lists for. */
@Injectable()
export class SearchTermsService {
  constructor(private readonly lookups: LookupsRepository) {}

  /** Returns the conditions of a list, or null if the terms match nothing. */
  async conditionsOf({ q, customer_id: customer }: SearchTerms): Promise<SearchConditions | null> {
    if (q === undefined) return customer ? { customerIds: [customer] } : {};
    const term = parseSearchTerm(q);
    const conditions = term ? await this.resolveReference(term) : await this.findEndpointsByName(q);
    if (!conditions || !customer) return conditions;
    const customers = conditions.customerIds ?? [customer];
    return customers.includes(customer) ? { ...conditions, customerIds: [customer] } : null;
  }

  private async resolveReference(term: SearchTerm): Promise<SearchConditions | null> {
    switch (term.kind) {
      case 'delivery':
        return { deliveryId: term.id };
      case 'event':
        return { eventId: term.id };
      case 'endpoint':
        return { endpointIds: [term.id] };
      // Of the resources in these lists, only customers have ids without a prefix.
      case 'uuid':
        return { customerIds: [term.id] };
      case 'attempt': {
        const deliveryId = await this.lookups.findDeliveryIdOfAttempt(term.id);
        return deliveryId === null ? null : { deliveryId, attemptId: term.id };
      }
      case 'email': {
        const customerIds = await this.lookups.findCustomerIdsByEmail(term.email);
        return customerIds.length > 0 ? { customerIds } : null;
      }
      case 'url':
        return this.findEndpointsByUrl(term.prefix);
      case 'redelivery':
        return null;
    }
  }

  private async findEndpointsByUrl(start: string): Promise<SearchConditions | null> {
    const endpointIds = await this.lookups.findEndpointIdsByUrl(start);
    if (!endpointIds) return { endpointUrl: start };
    return endpointIds.length > 0 ? { endpointIds } : null;
  }

  private async findEndpointsByName(text: string): Promise<SearchConditions | null> {
    const endpointIds = await this.lookups.findEndpointIdsByName(text);
    if (!endpointIds) return { endpointName: text };
    return endpointIds.length > 0 ? { endpointIds } : null;
  }
}

/** Merges two conditions on the same id. Returns null if both are set and differ. */
export function intersectIds<T>(
  first: T | null | undefined,
  second: T | null | undefined,
): { id: T | null } | null {
  const [id = null] = [first, second].filter((each) => each !== null && each !== undefined);
  return (first ?? id) === id && (second ?? id) === id ? { id } : null;
}
