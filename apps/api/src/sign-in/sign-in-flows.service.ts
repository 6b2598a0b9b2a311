import { Injectable } from '@nestjs/common';
import type { ExchangeTarget } from '@gatehouse/domain';
import {
  SignInFlowsRepository,
  type CustomerFlow,
  type FlowKey,
  type ProfileFlow,
  type SignInFlow,
  type Tx,
} from '@gatehouse/persistence';
import { newToken, sha256 } from '@gatehouse/platform';

/** A flow that has just been started. */
interface NewFlow {
  /** Secret for the page's query. */
  secret: string;
  secretHash: Buffer;
}

/**
 * Manages the flows of the hosted sign-in page. A flow contains what has been proven so far, and is bound to the
 * application's redirect URL and code challenge (ADR 0048). Each step consumes its flow and starts the next one, so
 * that every secret works once.
 */
@Injectable()
export class SignInFlowsService {
  constructor(private readonly flows: SignInFlowsRepository) {}

  /** Starts a flow that an email code or the customer's second factor completes. */
  async begin(
    tx: Tx,
    projectId: string,
    target: ExchangeTarget,
    customerId: string | null = null,
  ): Promise<NewFlow> {
    const flow = newFlow(projectId, target);
    await this.flows.insertUnproven(tx, flow.key, customerId);
    return flow;
  }

  /** Starts a flow for an account that has just signed in at a provider. */
  async beginWithProfile(
    tx: Tx,
    projectId: string,
    target: ExchangeTarget,
    profileFlow: ProfileFlow,
  ): Promise<NewFlow> {
    const flow = newFlow(projectId, target);
    await this.flows.insertWithProfile(tx, flow.key, profileFlow);
    return flow;
  }

  /** Starts a flow for a customer who has signed in. The transaction must have locked the customer. */
  async beginWithCustomer(
    tx: Tx,
    projectId: string,
    target: ExchangeTarget,
    customer: CustomerFlow,
  ): Promise<NewFlow> {
    const flow = newFlow(projectId, target);
    await this.flows.insertWithCustomer(tx, flow.key, customer);
    return flow;
  }

  /** Returns a page's flow, or null if it has ended or belongs to another page. */
  find(projectId: string, target: ExchangeTarget, secret: string): Promise<SignInFlow | null> {
    return this.flows.find({ secretHash: sha256(secret), projectId, target });
  }

  /**
   * Consumes the page's flow, if it has one. The caller must have locked the customer.
   * @returns false if a concurrent request has consumed it
   */
  async consume(tx: Tx, flow: SignInFlow | null | undefined): Promise<boolean> {
    return !flow || (await this.flows.consume(tx, flow.secretHash));
  }
}

function newFlow(projectId: string, target: ExchangeTarget): NewFlow & { key: FlowKey } {
  const { token: secret, tokenHash: secretHash } = newToken();
  return { secret, secretHash, key: { secretHash, projectId, target } };
}
