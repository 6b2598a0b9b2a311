import { CreateTheHouse1763683200000 } from './1763683200000-create-the-house.js';
import { CreateDeliveries1763683201000 } from './1763683201000-create-deliveries.js';
import { CompleteTheCustomer1763769600000 } from './1763769600000-complete-the-customer.js';
import { RotateSigningKeys1763769601000 } from './1763769601000-rotate-signing-keys.js';
import { RememberAnswers1763769602000 } from './1763769602000-remember-answers.js';
import { FindLiveSessions1763769603000 } from './1763769603000-find-live-sessions.js';
import { ManageKeys1763856000000 } from './1763856000000-manage-keys.js';
import { RememberBillingCustomers1763856001000 } from './1763856001000-remember-billing-customers.js';
import { FindAndEraseCustomers1763856010000 } from './1763856010000-find-and-erase-customers.js';
import { ImportCustomers1763856020000 } from './1763856020000-import-customers.js';
import { KeepAnAuditLog1763856030000 } from './1763856030000-keep-an-audit-log.js';
import { FeedEvents1763856040000 } from './1763856040000-feed-events.js';

/** Every migration, oldest first. A migration that has landed is never edited. */
export const migrations = [
  CreateTheHouse1763683200000,
  CreateDeliveries1763683201000,
  CompleteTheCustomer1763769600000,
  RotateSigningKeys1763769601000,
  RememberAnswers1763769602000,
  FindLiveSessions1763769603000,
  ManageKeys1763856000000,
  RememberBillingCustomers1763856001000,
  FindAndEraseCustomers1763856010000,
  ImportCustomers1763856020000,
  KeepAnAuditLog1763856030000,
  FeedEvents1763856040000,
];
