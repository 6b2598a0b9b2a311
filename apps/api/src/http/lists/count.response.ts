import { ApiProperty } from '@nestjs/swagger';
import type { CappedCount } from '@gatehouse/persistence';

/** The number of records in a list, up to a maximum. */
export class CountResponse {
  @ApiProperty({ minimum: 0, maximum: 10_000, example: 42 }) count!: number;

  @ApiProperty({
    description: 'True if there may be more: the scan reached its limit, or the count exceeds 10,000',
  })
  isMore!: boolean;

  static from({ count, isMore }: CappedCount): CountResponse {
    return { count, isMore };
  }
}
