import { ApiProperty } from '@nestjs/swagger';
import { customEventExample, customEventTypePattern, MAX_CUSTOM_EVENT_TYPE_LENGTH } from '@gatehouse/domain';
import { MAX_DATA_BYTES } from '../custom-events.js';

/** A custom event. `readCustomEvents` validates it without copying its data. */
export class CustomEventRequest {
  @ApiProperty({
    description:
      'Type of the event: `app`, and one or more segments of lowercase letters, digits and `_`, separated by dots',
    pattern: customEventTypePattern.source,
    maxLength: MAX_CUSTOM_EVENT_TYPE_LENGTH,
    example: customEventExample.type,
  })
  type!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: `Any JSON object of at most ${MAX_DATA_BYTES} bytes. It is delivered exactly as you send it. It is not erased when a customer is deleted, so send ids instead of personal data`,
    example: customEventExample.data,
  })
  data!: Record<string, unknown>;

  @ApiProperty({
    required: false,
    format: 'uuid',
    description: 'Project of the event. Default: the project of the key',
  })
  project_id?: string;
}
