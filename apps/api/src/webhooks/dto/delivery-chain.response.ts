import { ApiProperty } from '@nestjs/swagger';
import { deliveryResolutions, deliveryStates, publicId } from '@gatehouse/domain';
import type { ChainLink } from '@gatehouse/persistence';
import { findActorName, type ActorNameMap } from '../../audit/actor-names.service.js';
import { nullablePublicIdSchema, publicIdSchema } from '../../http/input/text-schemas.js';

const nullableText = { type: String, nullable: true };
const nullableTime = { type: String, format: 'date-time', nullable: true };

/** The actor of an action. */
export class ActorResponse {
  @ApiProperty({ enum: ['key', 'operator'] }) type!: string;
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ ...nullableText, description: 'Name of the key, or email address of the operator' })
  name!: string | null;
}

/** A delivery in a chain. */
export class ChainedDeliveryResponse {
  @ApiProperty(publicIdSchema('delivery')) id!: string;
  @ApiProperty({ enum: deliveryStates }) state!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty(nullableTime) finishedAt!: string | null;
  @ApiProperty(nullablePublicIdSchema('delivery')) redeliveryOf!: string | null;
  @ApiProperty({
    ...nullablePublicIdSchema('redelivery'),
    description: 'Bulk redelivery that created this delivery',
  })
  batchId!: string | null;
  @ApiProperty({ enum: deliveryResolutions, nullable: true }) resolution!: string | null;
  @ApiProperty({ ...nullableText, description: 'Reason for redelivering or discarding it' }) reason!:
    | string
    | null;
  @ApiProperty({
    type: ActorResponse,
    nullable: true,
    description: 'Operator or key that redelivered or discarded it',
  })
  resolvedBy!: ActorResponse | null;

  @ApiProperty({ description: 'True for the delivery that was requested' }) current!: boolean;

  static from(link: ChainLink, requestedId: string, names: ActorNameMap): ChainedDeliveryResponse {
    return {
      id: publicId('delivery', link.id),
      state: link.state,
      createdAt: link.createdAt.toISOString(),
      finishedAt: link.finishedAt?.toISOString() ?? null,
      redeliveryOf: link.redeliveryOf && publicId('delivery', link.redeliveryOf),
      batchId: link.batchId && publicId('redelivery', link.batchId),
      resolution: link.resolution,
      reason: link.reason,
      resolvedBy: toActor(link.resolvedBy, names),
      current: link.id === requestedId,
    };
  }
}

export class DeliveryChainResponse {
  @ApiProperty({ type: [ChainedDeliveryResponse] }) data!: ChainedDeliveryResponse[];
}

/** Returns the actor for a key such as `operator:<id>`. */
function toActor(actorKey: string | null, names: ActorNameMap): ActorResponse | null {
  if (actorKey === null) return null;
  const [type = '', id = ''] = actorKey.split(':');
  return { type, id, name: findActorName(names, actorKey) };
}
