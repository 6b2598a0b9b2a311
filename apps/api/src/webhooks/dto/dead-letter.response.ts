import { ApiProperty } from '@nestjs/swagger';
import { attemptErrors, MAX_ATTEMPTS } from '@gatehouse/domain';
import type { DeadLetterRecord } from '@gatehouse/persistence';
import { findActorName, type ActorNameMap } from '../../audit/actor-names.service.js';
import { DeliverySummaryResponse } from './delivery.response.js';

export class LastAttemptResponse {
  @ApiProperty({ minimum: 1, maximum: MAX_ATTEMPTS }) attempt!: number;
  @ApiProperty({ description: 'HTTP status of the response. 0 if no response was received', example: 503 })
  http_status!: number;
  @ApiProperty({ enum: attemptErrors, nullable: true }) error!: string | null;
}

/** A delivery whose five attempts failed and that has been neither redelivered nor discarded. */
export class DeadLetterResponse extends DeliverySummaryResponse {
  @ApiProperty({ type: LastAttemptResponse }) last_attempt!: LastAttemptResponse;

  static from(deadLetter: DeadLetterRecord): DeadLetterResponse {
    return {
      ...DeliverySummaryResponse.fromDelivery(deadLetter),
      last_attempt: {
        attempt: deadLetter.attempt,
        http_status: deadLetter.lastHttpStatus,
        error: deadLetter.lastError,
      },
    };
  }
}

/** A dead letter, as returned to operators, with the name of the actor who resolved it. */
export class NamedDeadLetterResponse extends DeadLetterResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Email address of the operator, or name of the key. Null if the operator or key no longer exists',
  })
  resolved_by_name!: string | null;

  static withNames(deadLetter: DeadLetterRecord, names: ActorNameMap): NamedDeadLetterResponse {
    return {
      ...DeadLetterResponse.from(deadLetter),
      resolved_by_name: findActorName(names, deadLetter.resolvedBy),
    };
  }
}
