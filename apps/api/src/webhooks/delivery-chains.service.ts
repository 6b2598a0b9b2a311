import { Injectable } from '@nestjs/common';
import type { ManagementCaller } from '@gatehouse/auth';
import { DeliveryChainsRepository } from '@gatehouse/persistence';
import { ActorNamesService } from '../audit/actor-names.service.js';
import { DeliveriesService } from './deliveries.service.js';
import { ChainedDeliveryResponse, type DeliveryChainResponse } from './dto/delivery-chain.response.js';

/** Reads a delivery's redelivery chain, with actors and reasons. */
@Injectable()
export class DeliveryChainsService {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly chains: DeliveryChainsRepository,
    private readonly actors: ActorNamesService,
  ) {}

  /**
   * Returns the chain that contains a delivery. Accepts a delivery id or an attempt id.
   * @throws GatehouseError `not_found`
   */
  async get(caller: ManagementCaller, id: string): Promise<DeliveryChainResponse> {
    const { delivery } = await this.deliveries.get(caller, id);
    const links = await this.chains.findChain(delivery.id);
    const names = await this.actors.resolve(links.map(({ resolvedBy }) => resolvedBy));
    return { data: links.map((link) => ChainedDeliveryResponse.from(link, delivery.id, names)) };
  }
}
