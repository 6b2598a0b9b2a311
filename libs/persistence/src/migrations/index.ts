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
import { LineUpDeliveries1763942400000 } from './1763942400000-line-up-deliveries.js';
import { LookAfterEndpoints1763942410000 } from './1763942410000-look-after-endpoints.js';
import { KeepRedeliveryBatches1763942420000 } from './1763942420000-keep-redelivery-batches.js';
import { RememberAlerts1763942430000 } from './1763942430000-remember-alerts.js';
import { LetGoOfThePast1763942440000 } from './1763942440000-let-go-of-the-past.js';
import { SeeTheWholeHouse1764028805000 } from './1764028805000-see-the-whole-house.js';
import { LetOperatorsIn1764028800000 } from './1764028800000-let-operators-in.js';
import { KeepFigures1764028810000 } from './1764028810000-keep-figures.js';
import { SearchTheHouse1764028820000 } from './1764028820000-search-the-house.js';
import { HearFromWorkers1764028821000 } from './1764028821000-hear-from-workers.js';
import { FindCustomersOfTheHouse1764115200000 } from './1764115200000-find-customers-of-the-house.js';
import { IndexExternalIdsOnce1764115201000 } from './1764115201000-index-external-ids-once.js';
import { FindOrganizationEndpoints1764115202000 } from './1764115202000-find-organization-endpoints.js';
import { KnowOperatorAddresses1764115203000 } from './1764115203000-know-operator-addresses.js';

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
  LineUpDeliveries1763942400000,
  LookAfterEndpoints1763942410000,
  KeepRedeliveryBatches1763942420000,
  RememberAlerts1763942430000,
  LetGoOfThePast1763942440000,
  LetOperatorsIn1764028800000,
  SeeTheWholeHouse1764028805000,
  KeepFigures1764028810000,
  SearchTheHouse1764028820000,
  HearFromWorkers1764028821000,
  FindCustomersOfTheHouse1764115200000,
  IndexExternalIdsOnce1764115201000,
  FindOrganizationEndpoints1764115202000,
  KnowOperatorAddresses1764115203000,
];
