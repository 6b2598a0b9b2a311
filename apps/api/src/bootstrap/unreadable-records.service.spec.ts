import type { EncryptedValuesRepository } from '@gatehouse/persistence';
import { Keyring } from '@gatehouse/platform';
import { UnreadableRecordsService } from './unreadable-records.service.js';

const unused = (): never => {
  throw new Error('no value is read');
};
const values = { countOutdated: unused, readOutdated: unused, replace: unused };
const keyring = new Keyring(['a-root-secret-of-at-least-32-characters']);
const service = new UnreadableRecordsService(values as unknown as EncryptedValuesRepository, keyring);

describe('UnreadableRecordsService', () => {
  it.each(['elsewhere', 'mail-parameters/mails.parameters/1', 'mail-parameters/mails/1', ''])(
    'returns null for the invalid position "%s"',
    async (position) => expect(await service.list(position, 1)).toBeNull(),
  );
});
