import { Injectable } from '@nestjs/common';
import { withParameter, type CodeKind, type ExchangeTarget } from '@gatehouse/domain';
import { SignInExchangesRepository, type ExchangeProof, type Tx } from '@gatehouse/persistence';
import { newToken } from '@gatehouse/platform';

/** A proof of identity, the kind of its code, and where the browser leads back to. */
type IssuedProof = ExchangeProof &
  ExchangeTarget & { kind: CodeKind; projectId: string; requestedAt: Date | null; provenAt?: Date };

/** Issues the codes with which browsers return to an application after a proof on a page of Gatehouse. */
@Injectable()
export class ExchangeCodesService {
  constructor(private readonly exchanges: SignInExchangesRepository) {}

  /** Stores a proof. @returns the redirect URL with the code of the exchange, and the state of the application */
  async issue(tx: Tx, { state, ...proof }: IssuedProof): Promise<string> {
    const { token: code, tokenHash: codeHash } = newToken();
    await this.exchanges.insert(tx, { ...proof, codeHash });
    const url = withParameter(proof.redirectUrl, 'code', code);
    return state ? withParameter(url, 'state', state) : url;
  }
}
