import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { addListDeliveriesCommand } from './list-deliveries.js';
import { addRedeliverCommand } from './redeliver.js';
import { addShowDeliveryCommand } from './show-delivery.js';

/** Adds `gatehouse deliveries`. */
export function addDeliveriesCommand(program: Command, cli: Cli): void {
  const deliveries = program
    .command('deliveries')
    .helpCommand(false)
    .summary('list, show and redeliver webhook deliveries')
    .description('List, show and redeliver webhook deliveries.');
  addListDeliveriesCommand(deliveries, cli);
  addShowDeliveryCommand(deliveries, cli);
  addRedeliverCommand(deliveries, cli);
}
