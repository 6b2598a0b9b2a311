import { addId, type CompanionFile } from '../companion-files.js';
import { readCsv } from '../read-files.js';
import { reasons, type Reason } from '../reasons.js';
import { notImported } from '../source-fields.js';
import type { ImportedCustomer, LeftOut, SourceRecord } from '../source.js';
import { unknown } from '../unknown-reasons.js';
import { ownProviders } from './supabase-providers.js';
import { emptyNulls } from './supabase-table.js';

export type Identity = NonNullable<ImportedCustomer['identities']>[number];

/** The second factors of one user. */
interface Factors {
  totpSecret: string | null;
  leftOut: LeftOut[];
}

/** The rows of the tables other than `auth.users`, by user id. */
export class RelatedRows {
  hasIdentities = false;
  hasFactors = false;
  readonly files: CompanionFile[] = [];
  /**
   * A user's identities, one per line, as the provider and the subject. A string needs less memory than objects.
   */
  private readonly identities = new Map<string, string>();
  private readonly factors = new Map<string, Factors>();

  /** Adds the rows of `auth.identities`. Yields a report for each malformed row. */
  async *addIdentities(file: string): AsyncGenerator<SourceRecord> {
    this.hasIdentities = true;
    const ids = this.addFile(file);
    for await (const { position, value } of readCsv(file)) {
      const { user_id: userId, provider: name, provider_id: subject } = emptyNulls(value);
      const provider = name?.toLowerCase();
      if (userId) addId(ids, userId);
      if (!userId || !provider || !subject || /\s/.test(provider + subject))
        yield notImported(position, userId || null, '', reasons.invalidRecord);
      else if (!ownProviders.has(provider)) {
        const others = this.identities.get(userId);
        const line = `${provider} ${subject}`;
        this.identities.set(userId, others === undefined ? line : `${others}\n${line}`);
      }
    }
  }

  /** Adds the rows of `auth.mfa_factors`. Yields a report for each malformed row. */
  async *addFactors(file: string): AsyncGenerator<SourceRecord> {
    this.hasFactors = true;
    const ids = this.addFile(file);
    for await (const { position, value } of readCsv(file)) {
      const { user_id: userId, status, factor_type: type, secret } = emptyNulls(value);
      if (!userId) {
        yield notImported(position, null, '', reasons.invalidRecord);
        continue;
      }
      addId(ids, userId);
      // The user has never confirmed the factor.
      if (status === 'unverified') continue;
      const user = this.factors.get(userId) ?? { totpSecret: null, leftOut: [] };
      this.factors.set(userId, user);
      const problem = status === 'verified' ? findProblem(user, type, secret) : unknown.factorStatus;
      if (problem) user.leftOut.push({ field: 'mfa_factors', ...problem });
      else user.totpSecret = secret!;
    }
  }

  /** Returns a user's rows, and removes them. */
  take(userId: string): { identities: Identity[]; factors: Factors | undefined } {
    const lines = this.identities.get(userId)?.split('\n') ?? [];
    const identities = lines.map((line) => {
      const [provider, subject] = line.split(' ');
      return { provider: provider!, subject: subject! };
    });
    const factors = this.factors.get(userId);
    this.identities.delete(userId);
    this.factors.delete(userId);
    return { identities, factors };
  }

  /** Returns the user ids whose rows were not taken. */
  get remainingIds(): ReadonlySet<string> {
    return new Set([...this.identities.keys(), ...this.factors.keys()]);
  }

  private addFile(file: string): Set<string> {
    const ids = new Set<string>();
    this.files.push({ file, ids });
    return ids;
  }
}

function findProblem(user: Factors, type: string | undefined, secret: string | undefined): Reason | null {
  if (type !== 'totp') return reasons.onlyTotp;
  if (!secret) return reasons.noSecret;
  if (secret.startsWith('{')) return reasons.supabaseSecret;
  return user.totpSecret === null ? null : reasons.oneApp;
}
