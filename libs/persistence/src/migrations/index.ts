import { CreateTheHouse1763683200000 } from './1763683200000-create-the-house.js';
import { CreateDeliveries1763683201000 } from './1763683201000-create-deliveries.js';

/** Every migration, oldest first. A migration that has landed is never edited. */
export const migrations = [CreateTheHouse1763683200000, CreateDeliveries1763683201000];
