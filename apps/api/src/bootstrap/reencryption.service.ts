import { Injectable } from '@nestjs/common';
import {
  encryptedColumns,
  EncryptedValuesRepository,
  pepperedColumns,
  type EncryptedColumn,
  type OutdatedValue,
  type Replacement,
} from '@gatehouse/persistence';
import { errorMessage, Failpoints, Keyring } from '@gatehouse/platform';
import { describeValue } from './unreadable-records.service.js';

/** Result of a run, with the number of values that still depend on older entries in GATEHOUSE_SECRET. */
export interface ReencryptionResult {
  reencrypted: number;
  /** Values that could not be decrypted, or that were locked or written with an older entry during the run. */
  remaining: number;
  /** Password hashes, which are renewed at the next sign-in. */
  passwords: number;
}

/** Receives a progress line, or a line about a value that cannot be decrypted. */
type Report = (line: string) => void;

/** Re-encrypts the encrypted values in the database with the first entry in GATEHOUSE_SECRET. */
@Injectable()
export class ReencryptionService {
  constructor(
    private readonly values: EncryptedValuesRepository,
    private readonly keyring: Keyring,
    private readonly failpoints: Failpoints,
  ) {}

  /**
   * Re-encrypts all values in batches that commit separately. A run can be interrupted and repeated, because
   * values that are already re-encrypted are skipped.
   */
  async run(report: Report): Promise<ReencryptionResult> {
    const [newest, ...older] = this.keyring.listKids() as [string, ...string[]];
    let reencrypted = 0;
    for (const column of encryptedColumns) reencrypted += await this.moveColumn(column, newest, report);
    let remaining = 0;
    for (const column of encryptedColumns) remaining += await this.values.countOutdated(column, [newest]);
    let passwords = 0;
    for (const column of pepperedColumns) {
      const outdated = await this.values.countOutdated(column, [newest]);
      // A password that was encrypted with a removed entry does not depend on the older entries.
      passwords += outdated - (await this.values.countOutdated(column, [newest, ...older]));
    }
    return { reencrypted, remaining, passwords };
  }

  /** Re-encrypts a column and returns the number of values. Reports progress in steps of 10 %. */
  private async moveColumn(column: EncryptedColumn, kid: string, report: Report): Promise<number> {
    const name = `${column.table}.${column.column}`;
    const total = await this.values.countOutdated(column, [kid]);
    if (total === 0) {
      report(`${name}: nothing to re-encrypt`);
      return 0;
    }
    const tenths = (count: number) => Math.floor((10 * count) / total);
    let moved = 0;
    for await (const batch of this.values.readOutdated(column, [kid])) {
      if (moved > 0) this.failpoints.hit('reencrypt.between-batches');
      const replacements = batch.flatMap((value) => this.reencrypt(column, value, report));
      const replaced = await this.values.replace(column, replacements);
      moved += replaced;
      if (tenths(moved) > tenths(moved - replaced)) report(`${name}: ${moved} of ${total} re-encrypted`);
    }
    return moved;
  }

  /** Returns the value with its replacement, or reports that it cannot be decrypted. */
  private reencrypt(column: EncryptedColumn, value: OutdatedValue, report: Report): Replacement[] {
    try {
      return [{ ...value, replacement: this.encryptAgain(column, value) }];
    } catch (error) {
      report(`${describeValue(column, value)} cannot be decrypted: ${errorMessage(error)}`);
      return [];
    }
  }

  private encryptAgain({ purpose, prefix }: EncryptedColumn, { context, stored }: OutdatedValue): Buffer {
    const move = (sealed: Buffer) =>
      this.keyring.encrypt(purpose, context, this.keyring.decrypt(purpose, context, sealed));
    if (!prefix) return move(stored);
    const sealed = Buffer.from(stored.toString().slice(prefix.length), 'base64');
    return Buffer.from(prefix + move(sealed).toString('base64'));
  }
}
