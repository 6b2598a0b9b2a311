import { Injectable } from '@nestjs/common';
import { GatehouseError } from '@gatehouse/domain';
import {
  API_HEARTBEAT_TIMEOUT_SECONDS,
  ApisRepository,
  type OlderApi,
  type Tx,
} from '@gatehouse/persistence';

/** Prevents the use of new features while older API processes are running, as they do until an upgrade is complete. */
@Injectable()
export class RunningApisService {
  constructor(private readonly apis: ApisRepository) {}

  /**
   * Checks that no API process on an older version is running, because it would not support a setting, passkey, limit
   * or hash format.
   * @param subject the feature that an older API process does not support
   * @throws GatehouseError `conflict`
   */
  async assertNoOlderApi(
    tx: Tx,
    subject: 'setting' | 'passkey' | 'limit' | 'password hash' = 'setting',
  ): Promise<void> {
    const older = await this.apis.listOlder(tx);
    if (older.length > 0)
      throw new GatehouseError('conflict', {
        detail: `Older versions of Gatehouse that ${subject === 'password hash' ? 'cannot verify' : 'would ignore'} this ${subject} are running: ${older.map(describeApi).join(', ')}. Upgrade or stop them, and retry after ${API_HEARTBEAT_TIMEOUT_SECONDS} seconds.`,
      });
  }
}

const describeApi = ({ version, host }: OlderApi): string => (host ? `${version} on ${host}` : version);
