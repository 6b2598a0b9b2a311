import { ApiProperty } from '@nestjs/swagger';
import { publicId, type PrefixedIdKind } from '@gatehouse/domain';
import { searchResultKinds, type SearchResult, type SearchResultKind } from '@gatehouse/persistence';

const prefixed: Partial<Record<SearchResultKind, PrefixedIdKind>> = {
  delivery: 'delivery',
  attempt: 'attempt',
  event: 'event',
  endpoint: 'endpoint',
  batch: 'redelivery',
};

/** A search result. */
export class SearchResultResponse {
  @ApiProperty({ enum: searchResultKinds }) kind!: string;

  @ApiProperty({
    description: 'Id, in the format that the API uses for this type',
    example: 'dlv_019aa2c0-7d1e-7000-8000-000000000000',
  })
  id!: string;

  @ApiProperty({ example: 'customer.created' }) title!: string;
  @ApiProperty({ example: 'failed · https://app.example.com/webhooks' }) subtitle!: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) projectId!: string | null;

  static from({ kind, id, title, subtitle, projectId }: SearchResult): SearchResultResponse {
    const prefix = prefixed[kind];
    return { kind, id: prefix ? publicId(prefix, id) : id, title, subtitle, projectId };
  }
}

export class SearchResponse {
  @ApiProperty({ type: [SearchResultResponse], maxItems: 10 }) data!: SearchResultResponse[];
}
