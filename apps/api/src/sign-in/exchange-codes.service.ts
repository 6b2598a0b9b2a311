import { Injectable } from '@nestjs/common';
import { withParameter, type ExchangeTarget } from '@gatehouse/domain';
import { SignInExchangesRepository, type ExchangeProof, type Tx } from '@gatehouse/persistence';
import { newToken } from '@gatehouse/platform';

/** A proof of identity, and where the browser leads back to. */
type IssuedProof = ExchangeProof & ExchangeTarget & { projectId: string; requestedAt: Date };

/** Issues the codes with which browsers return to an application after a proof on a page of Gatehouse. */
@Injectable()
export class ExchangeCodesService {
  constructor(private readonly exchanges: SignInExchangesRepository) {}

  /** Stores a proof. @returns the redirect URL with the code of the exchange, and the state of the application */
  async issue(tx: Tx, proof: IssuedProof): Promise<string> {
    return this.redirect(proof, await this.issueCode(tx, proof));
  }

  /** Returns the redirect URL with a code, and the state of the application. */
  redirect({ redirectUrl, state }: Pick<ExchangeTarget, 'redirectUrl' | 'state'>, code: string): string {
    const url = withParameter(redirectUrl, 'code', code);
    return state ? withParameter(url, 'state', state) : url;
  }

  /** Stores a proof. @returns the code of the exchange */
  async issueCode(tx: Tx, { state: _, ...proof }: IssuedProof): Promise<string> {
    const { token: code, tokenHash: codeHash } = newToken();
    await this.exchanges.insert(tx, { ...proof, codeHash });
    return code;
  }
}
