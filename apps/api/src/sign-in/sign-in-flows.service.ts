import { Injectable } from '@nestjs/common';
import type { ExchangeTarget } from '@gatehouse/domain';
import {
  SignInFlowsRepository,
  type CustomerFlow,
  type FlowKey,
  type PersonFlow,
  type SignInFlow,
  type Tx,
} from '@gatehouse/persistence';
import { newToken, sha256 } from '@gatehouse/platform';

/** A flow that has just begun. */
interface NewFlow {
  /** For the page's query. */
  secret: string;
  secretHash: Buffer;
}

/**
 * The hosted sign-in page's flows: what has been proven so far, bound to the application's redirect URL and code
 * challenge (ADR 0048). Each step consumes its flow and begins the next flow, so that a secret works once.
 */
@Injectable()
export class SignInFlowsService {
  constructor(private readonly flows: SignInFlowsRepository) {}

  /** Begins a flow that an email code, or the customer's second factor, completes. */
  async begin(
    tx: Tx,
    projectId: string,
    target: ExchangeTarget,
    customerId: string | null = null,
  ): Promise<NewFlow> {
    const flow = newFlow(projectId, target);
    await this.flows.insertEmpty(tx, flow.key, customerId);
    return flow;
  }

  /** Begins a flow with a person who returns from a provider. */
  async beginWithPerson(
    tx: Tx,
    projectId: string,
    target: ExchangeTarget,
    person: PersonFlow,
  ): Promise<NewFlow> {
    const flow = newFlow(projectId, target);
    await this.flows.insertPerson(tx, flow.key, person);
    return flow;
  }

  /** Begins a flow with a customer who has signed in. The transaction has locked the customer. */
  async beginWithCustomer(
    tx: Tx,
    projectId: string,
    target: ExchangeTarget,
    customer: CustomerFlow,
  ): Promise<NewFlow> {
    const flow = newFlow(projectId, target);
    await this.flows.insertCustomer(tx, flow.key, customer);
    return flow;
  }

  /** Returns a page's flow, or null if it has ended or belongs to another page. */
  find(projectId: string, target: ExchangeTarget, secret: string): Promise<SignInFlow | null> {
    return this.flows.find({ secretHash: sha256(secret), projectId, target });
  }

  /**
   * Consumes a page's flow, if it has one. The caller has locked the customer.
   * @returns false if a parallel request has consumed it
   */
  async consume(tx: Tx, flow: SignInFlow | null | undefined): Promise<boolean> {
    return !flow || (await this.flows.consume(tx, flow.secretHash));
  }
}

function newFlow(projectId: string, target: ExchangeTarget): NewFlow & { key: FlowKey } {
  const { token: secret, tokenHash: secretHash } = newToken();
  return { secret, secretHash, key: { secretHash, projectId, target } };
}
