import { Injectable } from '@nestjs/common';
import type { ManagingCaller } from '@gatehouse/auth';
import { namedBy, type Customer, type Reach } from '@gatehouse/domain';
import { CustomerDirectoryRepository, everybody, SearchRepository, type Found } from '@gatehouse/persistence';

/** Most that is found at once. */
const MOST = 10;

/** Of them what is no customer, where there are customers. */
const OTHERS = 5;

/** The least that names of customers are looked for by. */
const LEAST_TEXT = 2;

/** Finds anything in the house by what an operator pastes or types. */
@Injectable()
export class SearchService {
  constructor(
    private readonly things: SearchRepository,
    private readonly customers: CustomerDirectoryRepository,
  ) {}

  /** What is meant by the text, at most ten. */
  async find({ reach }: ManagingCaller, text: string): Promise<Found[]> {
    const named = namedBy(text);
    if (!named) return this.beginningWith(reach, text);
    if (named.kind === 'email') return this.beginningWith(reach, named.email);
    if (named.kind === 'url') return this.things.endpointsAt(named.start, MOST);
    return this.things.byId(named.id, named.kind === 'uuid' ? null : named.kind);
  }

  private async beginningWith(reach: Reach, text: string): Promise<Found[]> {
    const [others, { customers }] = await Promise.all([
      this.things.beginningWith(text, OTHERS),
      text.length < LEAST_TEXT
        ? { customers: [] }
        : this.customers.page(reach, { ...everybody, q: text }, null, MOST),
    ]);
    return [...others, ...customers.map(foundCustomer)].slice(0, MOST);
  }
}

const foundCustomer = ({ id, projectId, email, firstName, lastName }: Customer): Found => ({
  kind: 'customer',
  id,
  title: email,
  subtitle: [firstName, lastName].filter(Boolean).join(' '),
  projectId,
});
