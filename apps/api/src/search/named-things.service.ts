import { Injectable } from '@nestjs/common';
import { namedBy, type Named } from '#domain';
import { LookupsRepository } from '#persistence';

/** What somebody looks for in a list. */
export interface Sought {
  q?: string;
  customer_id?: string;
}

/** The same as conditions of the list. */
export interface Meant {
  deliveryId?: string;
  attemptId?: string;
  eventId?: string;
  /** Any of these endpoints, or where they are very many all whose URL begins so. */
  endpointIds?: string[];
  endpointUrl?: string;
  /** What is about any of them. */
  customerIds?: string[];
}

/** Finds out what operators mean by what they paste. */
@Injectable()
export class NamedThings {
  constructor(private readonly lookups: LookupsRepository) {}

  /** @returns null when nothing in the house is meant, so that nothing is found */
  async meantBy({ q, customer_id: customer }: Sought): Promise<Meant | null> {
    if (q === undefined) return customer ? { customerIds: [customer] } : {};
    const named = namedBy(q);
    const meant = named && (await this.resolve(named));
    if (!meant || !customer) return meant;
    const customers = meant.customerIds ?? [customer];
    return customers.includes(customer) ? { ...meant, customerIds: [customer] } : null;
  }

  private async resolve(named: Named): Promise<Meant | null> {
    switch (named.kind) {
      case 'delivery':
        return { deliveryId: named.id };
      case 'event':
        return { eventId: named.id };
      case 'endpoint':
        return { endpointIds: [named.id] };
      // Without a prefix are, of all that lists are about, customers.
      case 'uuid':
        return { customerIds: [named.id] };
      case 'attempt': {
        const deliveryId = await this.lookups.deliveryOf(named.id);
        return deliveryId === null ? null : { deliveryId, attemptId: named.id };
      }
      case 'email': {
        const customerIds = await this.lookups.customersWith(named.email);
        return customerIds.length > 0 ? { customerIds } : null;
      }
      case 'url':
        return this.endpointsAt(named.start);
      case 'redelivery':
        return null;
    }
  }

  private async endpointsAt(start: string): Promise<Meant | null> {
    const endpointIds = await this.lookups.endpointsAt(start);
    if (!endpointIds) return { endpointUrl: start };
    return endpointIds.length > 0 ? { endpointIds } : null;
  }
}

/** Two conditions on one id as one: null when both are there and differ. */
export function bothOf<T>(one: T | null | undefined, other: T | null | undefined): { id: T | null } | null {
  const [id = null] = [one, other].filter((each) => each !== null && each !== undefined);
  return (one ?? id) === id && (other ?? id) === id ? { id } : null;
}
