import { Injectable } from '@nestjs/common';
import { withParameter, type CodeKind, type ExchangeTarget } from '@gatehouse/domain';
import { SignInExchangesRepository, type ExchangeProof, type Tx } from '@gatehouse/persistence';
import { newToken, sha256 } from '@gatehouse/platform';

/** Kind and project of a code. */
interface CodeOwner {
  kind: CodeKind;
  projectId: string;
}

/** A proof of identity, the kind of its code, and the redirect target. */
type IssuedProof = ExchangeProof & ExchangeTarget & CodeOwner & { requestedAt: Date | null; provenAt?: Date };

/** Issues the codes with which browsers return to the application after a proof on a Gatehouse page. */
@Injectable()
export class ExchangeCodesService {
  constructor(private readonly exchanges: SignInExchangesRepository) {}

  /**
   * Stores a proof.
   * @param code exchange code with 256 random bits. Default: a new code
   * @returns the redirect URL with the code and the application's `state`
   */
  async issue(tx: Tx, { state, ...proof }: IssuedProof, code = newToken().token): Promise<string> {
    await this.exchanges.insert(tx, { ...proof, codeHash: sha256(code) });
    return redirectWith(code, { ...proof, state });
  }

  /** Returns the redirect URL with a code that was issued earlier, or null if the code was exchanged or has expired. */
  async findIssued(tx: Tx, target: ExchangeTarget & CodeOwner, code: string): Promise<string | null> {
    const isOpen = await this.exchanges.find(tx, { ...target, codeHash: sha256(code) });
    return isOpen ? redirectWith(code, target) : null;
  }
}

function redirectWith(code: string, { redirectUrl, state }: ExchangeTarget): string {
  const url = withParameter(redirectUrl, 'code', code);
  return state ? withParameter(url, 'state', state) : url;
}
